// From 32 byte addresses to a MemoryOperand, fast when an instruction's lanes keep their pattern.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/pattern_table.h"

namespace tilescope::sass {

// `last`: the pattern this instruction had before, replaced when it differs. Throws std::runtime_error when the address
// of an active lane is not a multiple of `bytes`, as the hardware does.
MemoryOperand operand_of(PatternTable& patterns, const std::array<std::uint64_t, kLanes>& address, std::uint32_t active,
                         int bytes, PatternId& last);

}  // namespace tilescope::sass
