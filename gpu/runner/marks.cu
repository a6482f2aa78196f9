#include "marks.h"

namespace tilescope::gpu {
namespace {

__global__ void library_begins() {}
__global__ void library_ends() {}

}  // namespace

void mark_library_begins() { library_begins<<<1, 1>>>(); }
void mark_library_ends() { library_ends<<<1, 1>>>(); }

}  // namespace tilescope::gpu
