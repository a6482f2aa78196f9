#include "traces/sass/register_reads.h"

#include <algorithm>
#include <vector>

namespace tilescope::sass {
namespace {

constexpr int kMost = 3;  // registers of one bank

// The operands behind the results.
std::vector<const Operand*> sources(const ParsedInstruction& one) {
  std::vector<const Operand*> found;
  bool result_seen = false;
  for (const Operand& operand : one.operands) {
    const bool is_register = operand.kind == Operand::Kind::reg;
    if (result_seen && operand.kind != Operand::Kind::predicate) found.push_back(&operand);
    result_seen = result_seen || is_register || one.opcode.ends_with("SETP");
  }
  if (one.opcode.ends_with("SETP")) {
    found.clear();
    for (const Operand& operand : one.operands)
      if (operand.kind != Operand::Kind::predicate) found.push_back(&operand);
  }
  return found;
}

}  // namespace

std::uint8_t ReuseCache::reads_of(const ParsedInstruction& one) {
  const std::vector<const Operand*> operands = sources(one);
  std::vector<RegisterId> named;
  std::array<BankReads, kRegisterBanks> reads{};
  Turns turns{};
  const auto read = [&](std::size_t position, RegisterId reg, bool reuse) {
    const std::size_t bank = reg % kRegisterBanks;
    RegisterId& held = held_[position][bank];
    if (held == reg)
      reads[bank].after = std::max(reads[bank].after, turns_[position][bank]);
    else if (std::find(named.begin(), named.end(), reg) == named.end() && reads[bank].count < kMost)
      turns[position][bank] = ++reads[bank].count;
    named.push_back(reg);
    held = reuse ? reg : kRZ;
  };
  for (std::size_t i = 0; i < std::min(operands.size(), kPositions); ++i) {
    const Operand& operand = *operands[i];
    if (operand.kind != Operand::Kind::reg || operand.reg >= kRZ) continue;
    read(i, operand.reg, operand.reuse);
    // The third operand of a widening multiplication is a pair.
    if (i == 2 && one.has("WIDE")) read(i, operand.reg ^ 1U, operand.reuse);
  }
  turns_ = turns;
  return register_reads(reads[0], reads[1]);
}

std::uint8_t single_read(const ParsedInstruction& one) {
  RegisterId single = kRZ;
  bool stores = false, wide_address = false;
  for (std::size_t i = 0; i < one.operands.size(); ++i) {
    const Operand& operand = one.operands[i];
    if (operand.kind == Operand::Kind::address) {
      stores = i == 0;
      for (const AddressTerm& term : operand.terms) {
        wide_address = wide_address || term.suffix == "64";
        if (!stores && term.reg < kRZ && term.suffix != "64") single = term.reg;
      }
    } else if (operand.kind == Operand::Kind::reg && stores && wide_address) {
      single = operand.reg;
    }
  }
  if (single >= kRZ || (!stores && wide_address)) return 0;
  const std::size_t bank = single % kRegisterBanks;
  return register_reads({.count = bank == 0 ? 1 : 0}, {.count = bank == 1 ? 1 : 0});
}

std::uint8_t uniform_rows(const ParsedInstruction& one) {
  constexpr RegisterId kPerRow = 4;
  std::vector<RegisterId> rows;
  for (const Operand* operand : sources(one)) {
    if (operand->kind != Operand::Kind::reg || operand->reg < kUR0 || operand->reg >= kURZ) continue;
    const RegisterId row = (operand->reg - kUR0) / kPerRow;
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  return static_cast<std::uint8_t>(std::min<std::size_t>(rows.size(), 3));
}

}  // namespace tilescope::sass
