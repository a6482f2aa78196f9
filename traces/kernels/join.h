// Sections put together again that make one run of the compiled code: loop_code.h cuts at every place where any run
// begins or ends, also in the middle of others.
#pragma once

#include "traces/kernels/loop_code.h"

namespace tilescope {

// The same code with a section for each run of the compiled one, so that a warp goes through as many segments.
LoopCode joined(const LoopCode& code);

}  // namespace tilescope
