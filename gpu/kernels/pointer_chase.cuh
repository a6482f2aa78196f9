// One lane follows a chain of pointers: every load waits for the one before.
#pragma once

namespace tilescope::gpu {

template <bool kCached>
__global__ void pointer_chase(const char* first, const char** out, int steps) {
  const char* pointer = first;
#pragma unroll 8
  for (int i = 0; i < steps; ++i) {
    if (kCached) {
      asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(pointer)::"memory");
    } else {
      asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(pointer)::"memory");
    }
  }
  *out = pointer;
}

}  // namespace tilescope::gpu
