// The code of a loop over a ring of stages in shared memory, with another number of stages than it was compiled for.
#pragma once

#include "traces/kernels/loop_code.h"

namespace tilescope {

// `code`: of a ring of `from` stages, walked for more steps than it has stages. In front of the loop copies of all
// stages but one are started, each a group of its own; step i waits until all groups but `from` - 2 are there, starts
// the copies of step i + `from` - 1 while there is one, closes the group, and reads stage i modulo `from`.
// Returned: the same for `to` stages and `steps` steps. Copies in front of the loop are left out at the end, or those
// of the last stage are gone through again; steps without a copy are passed as the compiled code passes them.
LoopCode with_stages(const LoopCode& code, int from, int to, std::int64_t steps);

}  // namespace tilescope
