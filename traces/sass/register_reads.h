// Which register banks an instruction's operands come from (Instruction::register_reads).
#pragma once

#include <cstdint>

#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {

// Source registers of `one`, less those that `before`, the instruction listed before it, left in the reuse cache: same
// operand position, same register. RZ and uniform registers are read from neither bank.
std::uint8_t register_reads_of(const ParsedInstruction& one, const ParsedInstruction* before);

}  // namespace tilescope::sass
