// Which line of the constant banks an instruction reads (Instruction::constant).
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/isa/constant_line.h"
#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {

// Of the instructions of a launch, in their order. Where a uniform register has a part in the address it counts as the
// line of what stands beside it, as of small indices; an address that a warp's lanes have a part in is not told.
class ConstantLines {
 public:
  std::uint8_t read_by(const ParsedInstruction& one) {
    for (const Operand& operand : one.operands) {
      if (operand.kind != Operand::Kind::constant || operand.value < 0) continue;
      if (!operand.terms.empty() && one.opcode != "ULDC") continue;
      if (operand.bank == 0) return ConstantLine::own(operand.value);
      const std::pair at(operand.bank, operand.value / ConstantLine::kBlock);
      const int block = blocks_.emplace(at, static_cast<int>(blocks_.size())).first->second;
      return ConstantLine::other(block, operand.value);
    }
    return ConstantLine::kNone;
  }

 private:
  std::map<std::pair<int, std::int64_t>, int> blocks_;  // of a bank
};

}  // namespace tilescope::sass
