// Loads of 4, 8 or 16 bytes that the compiler neither drops, narrows nor reorders: through L1 or past it.
#pragma once

#include <cuda_runtime.h>

namespace tilescope::gpu {

template <bool kCached>
__device__ inline float load(const float* from) {
  float v;
  if (kCached) {
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from));
  } else {
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(from));
  }
  return v;
}

template <bool kCached>
__device__ inline float2 load(const float2* from) {
  float2 v;
  if (kCached) {
    asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from));
  } else {
    asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from));
  }
  return v;
}

template <bool kCached>
__device__ inline float4 load(const float4* from) {
  float4 v;
  if (kCached) {
    asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from));
  } else {
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from));
  }
  return v;
}

__device__ inline float first_word(float v) { return v; }
__device__ inline float first_word(float2 v) { return v.x; }
__device__ inline float first_word(float4 v) { return v.x; }

__device__ inline void add_words(float& sum, float v) { sum += v; }
__device__ inline void add_words(float& sum, float2 v) {
  sum += v.x;
  sum += v.y;
}
__device__ inline void add_words(float& sum, float4 v) {
  sum += v.x;
  sum += v.y;
  sum += v.z;
  sum += v.w;
}

}  // namespace tilescope::gpu
