// Empty kernels around the launch of a library, so that a profiler's table shows which kernels the library launched.
#pragma once

namespace tilescope::gpu {

void mark_library_begins();
void mark_library_ends();

}  // namespace tilescope::gpu
