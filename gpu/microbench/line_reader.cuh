// Reads of words and of parts of lines.
#pragma once

namespace tilescope::gpu {

constexpr int kLineFloats = 32, kSectorFloats = 8;

// ca: through L1; cg: past it; nc: through it, of what nobody writes.
enum class Op { ca, cg, nc };

template <Op kOp>
__device__ float load_word(const float* from) {
  float v;
  if constexpr (kOp == Op::cg) {
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  } else if constexpr (kOp == Op::ca) {
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  } else {
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  }
  return v;
}

// The sum of one word of each of so many lines, one behind the other from `from` on, all asked for before any is there.
template <int kLines>
__device__ float read_lines(const float* from) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    sum += load_word<Op::cg>(from + i * kLineFloats);
  }
  return sum;
}

}  // namespace tilescope::gpu
