#include "traces/sass/slice.h"

#include <algorithm>
#include <array>
#include <bitset>

namespace tilescope::sass {
namespace {

// How a register is needed at a place: not, by all lanes, or by the lanes for which a guard holds. A guarded definition
// satisfies the need of its own lanes: "@P0 MOV R4, ...; @P0 STS [R4], ..." needs nothing of R4 from before.
using Need = std::uint8_t;
constexpr Need kNone = 0, kAll = 1, kFirstGuard = 2;

Need need_under(const MicroOp& op) {
  if (op.guard == 7 && !op.guard_inverted) return kAll;
  return static_cast<Need>(kFirstGuard + 2 * op.guard + (op.guard_inverted ? 1 : 0));
}
Need opposite(Need guard) { return static_cast<Need>(((guard - kFirstGuard) ^ 1) + kFirstGuard); }
// Of a need, what lanes have that go there under a guard.
Need narrowed(Need need, Need lanes) {
  if (lanes == kAll) return need;
  return need == kAll ? lanes : need == opposite(lanes) ? kNone : need;
}
Need joined(Need a, Need b) { return a == kNone || a == b ? b : b == kNone ? a : kAll; }

using Set = std::array<Need, kRegisterIds>;

bool touches(Space space, Space memory) { return space == memory || space == Space::generic; }

class Slicer {
 public:
  Slicer(const std::vector<Decoded>& code, const Successors& successors, bool all)
      : code_(code), successors_(successors), all_(all), needed_(code.size()) {
    slice_.executed.resize(code.size());
    find_predecessors();
    find_unknown_stores();
    makes_maps_ = std::any_of(code_.begin(), code_.end(), [](const Decoded& one) { return one.takes_new_maps; });
    if (all) slice_.global = slice_.shared = slice_.local = slice_.global_changes = slice_.barrier_results = true;
  }

  Slice run() {
    do {
      grown_ = false;
      settle();
      find_memory();
    } while (grown_);
    find_exchange();
    slice_.needed = std::move(needed_);
    return std::move(slice_);
  }

 private:
  void find_predecessors() {
    predecessors_.resize(code_.size());
    is_jump_target_.resize(code_.size());
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      for (const std::uint32_t next : successors_.of[i]) predecessors_[next].push_back(i);
    for (const std::uint32_t target : successors_.jump_targets) is_jump_target_[target] = true;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
      if (successors_.jumps[i]) jumps_.push_back(i);
  }

  // Last instruction first; then again those whose successors' needs have grown.
  void settle() {
    std::vector<std::uint32_t> open;
    std::vector<bool> is_open(code_.size(), true);
    for (std::uint32_t i = 0; i < code_.size(); ++i) open.push_back(i);
    const auto again = [&](std::uint32_t i) {
      if (is_open[i]) return;
      is_open[i] = true;
      open.push_back(i);
    };
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      is_open[i] = false;
      if (!visit(i)) continue;
      for (const std::uint32_t before : predecessors_[i]) again(before);
      if (!is_jump_target_[i] || !join_jump_needs(needed_[i])) continue;
      for (const std::uint32_t jump : jumps_) again(jump);
    }
  }

  // What is needed at any place that a jump can go to is needed at every jump. True when that has grown.
  bool join_jump_needs(const Set& needs) {
    bool grown = false;
    for (std::size_t id = 0; id < needs.size(); ++id) {
      const Need both = joined(jump_needs_[id], needs[id]);
      grown = grown || both != jump_needs_[id];
      jump_needs_[id] = both;
    }
    return grown;
  }

  bool visit(std::size_t i) {
    const Decoded& decoded = code_[i];
    const Need guard = decoded.warp_wide ? kAll : need_under(decoded.op);
    const Need defined_for = need_under(decoded.op);
    Set before{};
    if (successors_.jumps[i]) before = jump_needs_;
    for (const std::uint32_t next : successors_.of[i]) {
      const Need lanes = lanes_that_go(i, next);
      for (std::size_t id = 0; id < before.size(); ++id)
        before[id] = joined(before[id], narrowed(needed_[next][id], lanes));
    }
    bool executed = all_ || decoded.async.kind != AsyncKind::none;
    for (const RegisterId id : decoded.defines)
      executed = executed || (before[id] != kNone && (defined_for == kAll || before[id] != opposite(defined_for)));
    const bool stored =
        decoded.is_memory &&
        (decoded.stores_into_cluster() ? slice_.shared : decoded.access.writes() && memory_matters(decoded.access));
    executed = executed || stored || (decoded.barrier_result && decoded.flow != Flow::next && slice_.barrier_results);
    for (const RegisterId id : decoded.defines) {
      if (defined_for == kAll || before[id] == defined_for)
        before[id] = kNone;
      else if (before[id] == kAll)
        before[id] = opposite(defined_for);
      if (is_predicate(id)) forget_guard(before, id);
    }
    const auto need = [&before](const std::vector<RegisterId>& ids, Need how) {
      for (const RegisterId id : ids)
        if (!is_zero(id) && !is_true(id)) before[id] = joined(before[id], how);
    };
    if (executed) need(decoded.uses, guard);
    if (stored && !slice_.stores_unknown[i]) need(decoded.data_uses, guard);
    need(decoded.always_uses, guard);
    // The guard itself is read by every lane.
    if (executed || !decoded.always_uses.empty()) need_guard(decoded, before);
    bool changed = executed != slice_.executed[i];
    for (std::size_t id = 0; id < before.size(); ++id) {
      const Need grown = joined(needed_[i][id], before[id]);
      changed = changed || grown != needed_[i][id];
      needed_[i][id] = grown;
    }
    slice_.executed[i] = executed;
    return changed;
  }

  // A branch that a guard alone decides takes the lanes for which it holds, and leaves the others.
  Need lanes_that_go(std::size_t from, std::uint32_t next) const {
    const Decoded& decoded = code_[from];
    const bool by_guard = decoded.flow == Flow::branch && decoded.op.flags == 0 && decoded.condition.index == 7 &&
                          !decoded.condition.inverted && decoded.op.guard % 8 != 7 &&
                          successors_.of[from].size() == 2 && successors_.of[from][0] != successors_.of[from][1];
    if (!by_guard) return kAll;
    return next == from + 1 ? opposite(need_under(decoded.op)) : need_under(decoded.op);
  }

  static void need_guard(const Decoded& decoded, Set& before) {
    const MicroOp& op = decoded.op;
    if (op.guard % 8 == 7) return;
    before[static_cast<std::size_t>(op.guard < 8 ? kP0 + op.guard : kUP0 + op.guard - 8)] = kAll;
  }

  // Before a predicate is defined, needs under it are needs of all lanes.
  static void forget_guard(Set& before, RegisterId predicate) {
    const unsigned index = predicate >= kUP0 ? predicate - kUP0 + 8U : predicate - kP0;
    const Need guard = static_cast<Need>(kFirstGuard + 2 * index);
    for (Need& need : before)
      if (need == guard || need == opposite(guard)) need = kAll;
  }

  // Do the contents that this access changes matter to anybody?
  bool memory_matters(const MemoryAccess& access) const {
    const Space space = access.kind == MemoryKind::async_copy ? Space::shared : access.at.space;
    return (slice_.global_changes && touches(space, Space::global)) ||
           (slice_.shared && touches(space, Space::shared)) || (slice_.local && touches(space, Space::local));
  }

  void grow(bool& flag) {
    grown_ = grown_ || !flag;
    flag = true;
  }

  // Stores of what may come from an instruction whose values are not computed: forwards over the control flow.
  void find_unknown_stores() {
    slice_.stores_unknown.resize(code_.size());
    if (all_ || std::none_of(code_.begin(), code_.end(), [](const Decoded& one) { return one.values_missing; })) return;
    std::vector<std::bitset<kRegisterIds>> unknown(code_.size());  // before each instruction
    std::vector<bool> visited(code_.size());
    std::vector<std::uint32_t> open = {0};
    const auto flow_to = [&](std::uint32_t next, const std::bitset<kRegisterIds>& state) {
      const auto joined_state = unknown[next] | state;
      if (visited[next] && joined_state == unknown[next]) return;
      unknown[next] = joined_state;
      visited[next] = true;
      open.push_back(next);
    };
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      const Decoded& decoded = code_[i];
      auto state = unknown[i];
      bool is_unknown = decoded.values_missing;
      for (const RegisterId id : decoded.uses) is_unknown = is_unknown || state[id];
      const bool always = decoded.op.guard == 7 && !decoded.op.guard_inverted;
      for (const RegisterId id : decoded.defines) {
        if (is_unknown)
          state.set(id);
        else if (always)
          state.reset(id);
      }
      for (const std::uint32_t next : successors_.of[i]) flow_to(next, state);
      if (successors_.jumps[i])
        for (const std::uint32_t next : successors_.jump_targets) flow_to(next, state);
    }
    for (std::size_t i = 0; i < code_.size(); ++i)
      for (const RegisterId id : code_[i].data_uses)
        if (!is_zero(id) && unknown[i][id] && code_[i].access.kind != MemoryKind::atomic)
          slice_.stores_unknown[i] = true;
  }

  void find_memory() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const Decoded& decoded = code_[i];
      if (!slice_.executed[i]) continue;
      // What lands in shared memory comes from global memory, and back.
      if (decoded.loads_box() && slice_.shared) grow(slice_.global);
      if (decoded.stores_box() && slice_.global_changes) grow(slice_.shared), grow(slice_.global);
      if (decoded.reads_map() && makes_maps_) grow(slice_.global), grow(slice_.global_changes);
      if (decoded.async.kind == AsyncKind::barrier_test) slice_.waits = true;
      if (decoded.barrier_result) grow(slice_.barrier_results);
      if (!decoded.is_memory || !decoded.access.reads()) continue;
      const Space space = decoded.access.at.space;
      if (touches(space, Space::global)) grow(slice_.global);
      if (touches(space, Space::global) && decoded.access.coherent && decoded.access.kind != MemoryKind::async_copy)
        grow(slice_.global_changes);
      if (touches(space, Space::shared)) grow(slice_.shared);
      if (touches(space, Space::local)) grow(slice_.local);
    }
  }

  void find_exchange() {
    for (std::size_t i = 0; i < code_.size(); ++i)
      if (slice_.executed[i] && receives(code_[i])) slice_.ctas_exchange = true;
  }

  const std::vector<Decoded>& code_;
  const Successors& successors_;
  bool all_;
  bool makes_maps_ = false;  // tensor maps in memory depend on what the launch stores
  bool grown_ = false;
  std::vector<Set> needed_;  // before each instruction
  Set jump_needs_{};         // of all that a jump can go to
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<bool> is_jump_target_;
  std::vector<std::uint32_t> jumps_;
  Slice slice_;
};

}  // namespace

bool receives(const Decoded& decoded) {
  const MemoryAccess& access = decoded.access;
  if (!decoded.is_memory || !touches(access.at.space, Space::global)) return false;
  return access.kind == MemoryKind::atomic ||
         (access.kind == MemoryKind::load && access.coherent && decoded.instruction.cached == 0);
}

Slice slice_of(const std::vector<Decoded>& code, const Successors& successors, bool all) {
  return Slicer(code, successors, all).run();
}

}  // namespace tilescope::sass
