// Loads at which a warp may wait for another CTA: those that may bring a value from one (receives) and behind which the
// same address is loaded again, by the same load or by one that does so in a loop of its own.
#pragma once

#include <vector>

#include "traces/sass/slice.h"

namespace tilescope::sass {

// By instruction. Control through a jump to the address in a register is not followed.
std::vector<bool> polled_loads(const std::vector<Decoded>& code, const Successors& successors, const Slice& slice);

}  // namespace tilescope::sass
