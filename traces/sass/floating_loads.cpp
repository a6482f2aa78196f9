#include "traces/sass/floating_loads.h"

#include <algorithm>
#include <array>

#include "traces/sass/call_returns.h"

namespace tilescope::sass {
namespace {

// What a word is taken for behind a place.
using Uses = std::uint8_t;
constexpr Uses kFloating = 1, kWhole = 2, kAddress = 4;

using UsesByRegister = std::array<Uses, kP0>;  // by register

bool is_number(RegisterId id) { return !is_zero(id) && !is_predicate(id); }

bool is_candidate(const Decoded& decoded) {
  const MemoryAccess& access = decoded.access;
  const bool is_signed = (decoded.op.flags & 256U) != 0;
  return decoded.is_memory && access.kind == MemoryKind::load && access.at.bytes > 1 && !is_signed &&
         (access.at.space == Space::global || access.at.space == Space::generic);
}

class Finder {
 public:
  Finder(const std::vector<Decoded>& code, const Successors& successors, const Slice& slice)
      : code_(code),
        successors_(successors),
        slice_(slice),
        calls_(find_call_returns(code, successors)),
        before_(code.size()) {}

  std::vector<bool> run() {
    do {
      changed_ = false;
      for (std::size_t i = code_.size(); i-- > 0;) visit(i);
    } while (changed_);
    std::vector<bool> found(code_.size());
    for (std::size_t i = 0; i < code_.size(); ++i)
      found[i] = slice_.executed[i] && is_candidate(code_[i]) && reads_numbers(i);
    return found;
  }

 private:
  UsesByRegister behind(std::size_t i) const {
    UsesByRegister uses{};
    const auto join = [&uses](const UsesByRegister& other) {
      for (std::size_t id = 0; id < uses.size(); ++id) uses[id] |= other[id];
    };
    const auto join_some = [&uses](const UsesByRegister& other, const Registers& of) {
      for (std::size_t id = 0; id < uses.size(); ++id)
        if (of[id]) uses[id] |= other[id];
    };
    for (const std::uint32_t next : successors_.of[i]) join(before_[next]);
    if (const auto call = calls_.calls.find(static_cast<std::uint32_t>(i)); call != calls_.calls.end())
      join_some(before_[i + 1], ~call->second);
    if (!successors_.jumps[i]) return uses;
    if (const auto known = calls_.returns.find(static_cast<std::uint32_t>(i)); known != calls_.returns.end())
      for (const std::uint32_t place : known->second.places) join_some(before_[place], known->second.changed);
    else
      for (const std::uint32_t target : successors_.jump_targets) join(before_[target]);
    return uses;
  }

  Uses* of_memory(Space space) {
    if (space == Space::shared) return &shared_;
    return space == Space::local ? &local_ : nullptr;
  }

  void grow(Uses& uses, Uses by) {
    changed_ = changed_ || (uses | by) != uses;
    uses |= by;
  }

  void visit(std::size_t i) {
    const Decoded& decoded = code_[i];
    UsesByRegister uses = behind(i);
    Uses result = 0;
    for (const RegisterId id : decoded.defines)
      if (is_number(id)) result |= uses[id];
    if (decoded.op.guard == 7 && !decoded.op.guard_inverted)
      for (const RegisterId id : decoded.defines)
        if (is_number(id)) uses[id] = 0;
    const auto use = [&uses](const std::vector<RegisterId>& ids, Uses as) {
      for (const RegisterId id : ids)
        if (is_number(id)) uses[id] |= as;
    };
    use(decoded.always_uses, kAddress);
    if (decoded.is_memory)
      visit_memory(decoded, slice_.executed[i], result, use);
    else
      visit_calculation(decoded, slice_.executed[i], result, use, uses);
    for (std::size_t id = 0; id < uses.size(); ++id)
      if (slice_.needed[i][id] == 0) uses[id] &= kFloating;
    if (uses == before_[i]) return;
    before_[i] = uses;
    changed_ = true;
  }

  template <class Use>
  void visit_memory(const Decoded& decoded, bool executed, Uses result, Use use) {
    const MemoryAccess& access = decoded.access;
    Uses* memory = of_memory(access.at.space);
    const bool both = access.at.space == Space::generic;
    if (access.kind == MemoryKind::load || access.kind == MemoryKind::matrix_load) {
      for (Uses* one : {memory, both ? &shared_ : nullptr, both ? &local_ : nullptr})
        if (one != nullptr) grow(*one, result);
    } else if (access.kind == MemoryKind::store || access.kind == MemoryKind::matrix_store) {
      const Uses stored = memory != nullptr ? *memory : both ? static_cast<Uses>(shared_ | local_) : Uses{0};
      use(decoded.data_uses, stored);
    } else if (executed) {
      const bool floating = access.kind != MemoryKind::asynchronous &&
                            decoded.instruction.detail == static_cast<std::uint16_t>(AtomicKind::floating);
      use(decoded.data_uses, floating ? kFloating : kWhole);
      use(decoded.uses, floating ? kFloating : kWhole);
    }
  }

  // That nobody needs the result does not change what an instruction takes its sources for, but looking at one as a
  // whole number does no harm then.
  template <class Use>
  static void visit_calculation(const Decoded& decoded, bool executed, Uses result, Use use, UsesByRegister& uses) {
    const ValueUse& takes = decoded.takes;
    const auto to_address = static_cast<Uses>(result & kAddress);
    if (takes.floating) return use(decoded.uses, static_cast<Uses>(kFloating | to_address));
    std::vector<RegisterId> others = decoded.uses;
    for (std::size_t which = 0; takes.passed >> which != 0; ++which) {
      if ((takes.passed >> which & 1U) == 0) continue;
      for (const std::int32_t index : {decoded.op.in[which].low, decoded.op.in[which].high}) {
        if (index < 0 || !is_number(static_cast<RegisterId>(index))) continue;
        uses[static_cast<std::size_t>(index)] |= result;
        std::erase(others, static_cast<RegisterId>(index));
      }
    }
    if (executed) use(others, static_cast<Uses>(kWhole | to_address));
  }

  bool reads_numbers(std::size_t i) const {
    const Decoded& decoded = code_[i];
    if (slice_.ctas_exchange && decoded.access.coherent) return false;
    const UsesByRegister uses = behind(i);
    bool any = false;
    for (const RegisterId id : decoded.defines) {
      if (!is_number(id) || uses[id] == 0) continue;
      if ((uses[id] & kAddress) != 0 || (uses[id] & kFloating) == 0) return false;
      any = true;
    }
    return any;
  }

  const std::vector<Decoded>& code_;
  const Successors& successors_;
  const Slice& slice_;
  const CallReturns calls_;
  std::vector<UsesByRegister> before_;  // each instruction
  Uses shared_ = 0, local_ = 0;         // of what is loaded from there
  bool changed_ = false;
};

}  // namespace

std::vector<bool> floating_loads(const std::vector<Decoded>& code, const Successors& successors, const Slice& slice) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (slice.executed[i] && is_candidate(code[i])) return Finder(code, successors, slice).run();
  return {};
}

}  // namespace tilescope::sass
