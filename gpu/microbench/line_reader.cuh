// Reads of words and of parts of lines.
#pragma once

#include "device_probe.cuh"

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

// Reads a word of every 64 KB of `lines` lines, of their third sector, so that the pages are known. Called by all
// threads of the CTA.
__device__ inline float know_pages(const float* data, int lines) {
  constexpr int kPageFloats = 16 * 1024;
  float sum = 0.0f;
  for (int word = static_cast<int>(threadIdx.x) * kPageFloats; word < lines * kLineFloats;
       word += static_cast<int>(blockDim.x) * kPageFloats) {
    sum += load_word<Op::cg>(data + word + 2 * kSectorFloats);
  }
  return sum;
}

// All threads of the CTA go on together when its first one's clock has come to `when`.
__device__ inline void begin_round(long long when) {
  if (threadIdx.x == 0) {
    while (clock64_now() < when) {
    }
  }
  __syncthreads();
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
