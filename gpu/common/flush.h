#pragma once

namespace tilescope::gpu {

// Puts a read of 256 MiB on the default stream, so that nothing else is left in L2 for what comes next on it.
void flush_l2();

}  // namespace tilescope::gpu
