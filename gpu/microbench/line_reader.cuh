// Reads of parts of lines past L1, many at once.
#pragma once

namespace tilescope::gpu {

constexpr int kLineFloats = 32, kSectorFloats = 8;

// The sum of one word of each of so many lines, one behind the other from `from` on, all asked for before any is there.
template <int kLines>
__device__ float read_lines(const float* from) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(from + i * kLineFloats) : "memory");
    sum += v;
  }
  return sum;
}

}  // namespace tilescope::gpu
