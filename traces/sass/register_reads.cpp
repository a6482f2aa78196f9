#include "traces/sass/register_reads.h"

#include <array>
#include <vector>

#include "models/register_banks.h"

namespace tilescope::sass {
namespace {

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

std::uint8_t register_reads_of(const ParsedInstruction& one, const ParsedInstruction* before) {
  const std::vector<const Operand*> mine = sources(one);
  const std::vector<const Operand*> theirs = before != nullptr ? sources(*before) : std::vector<const Operand*>();
  std::array<int, 2> reads{};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Operand& operand = *mine[i];
    if (operand.kind != Operand::Kind::reg || operand.reg >= kRZ) continue;
    const bool held =
        i < theirs.size() && theirs[i]->kind == Operand::Kind::reg && theirs[i]->reuse && theirs[i]->reg == operand.reg;
    if (!held) ++reads[operand.reg % 2];
    // The third operand of a widening multiplication is a pair.
    if (!held && i == 2 && one.has("WIDE")) ++reads[1 - operand.reg % 2];
  }
  return register_reads(reads[0], reads[1]);
}

}  // namespace tilescope::sass
