// Floating-point operations that a kernel executed, for kernels whose launch does not say what its useful work is.
#pragma once

#include <string>
#include <vector>

#include "models/isa/kernel.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

// Of one warp instruction, with all 32 lanes: two for a multiply-add, one for an addition or a product, twice as many
// for packed halves; tensor products count as those of 16 bits, which their peak is of. 0: none. `text`: as
// disassembled; a generator's is its class, and counts as a multiply-add.
double flop_of(const Instruction& instruction, const std::string& text);

// `instructions`: RunOutcome's. Lanes that a guard switches off are counted.
double executed_flop(const Kernel& kernel, const std::vector<InstructionCounters>& instructions);

}  // namespace tilescope
