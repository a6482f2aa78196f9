// Sums of floats as a tree in shared memory: one partial sum per CTA.
//   interleaved  neighbours first: of a warp's lanes every second, fourth, ... adds, so that warps diverge
//   strided      the same pairs, taken by neighbouring lanes: words of one bank
//   sequential   halves first: neighbouring lanes and neighbouring words
//   warp         sequential down to 32 values, which one warp adds up by shuffles
#pragma once

#include "block_reduce.cuh"

namespace tilescope::gpu {

enum class ReductionForm { kInterleaved, kStrided, kSequential, kWarp };

// A thread first adds VALUES values, a block's width apart. blockDim.x is a power of two, of at least 64 with kWarp; a
// float of dynamic shared memory per thread.
template <ReductionForm FORM, int VALUES>
__global__ void __launch_bounds__(1024) reduction(const float* __restrict__ in, float* __restrict__ out, int count) {
  extern __shared__ float sum[];
  const unsigned tid = threadIdx.x;
  const int first = blockIdx.x * blockDim.x * VALUES + tid;
  float own = 0.0f;
#pragma unroll
  for (int i = 0; i < VALUES; ++i) {
    const int at = first + i * static_cast<int>(blockDim.x);
    if (at < count) {
      own += in[at];
    }
  }
  sum[tid] = own;
  __syncthreads();
  if constexpr (FORM == ReductionForm::kInterleaved) {
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      if (tid % (2 * s) == 0) {
        sum[tid] += sum[tid + s];
      }
      __syncthreads();
    }
  } else if constexpr (FORM == ReductionForm::kStrided) {
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
      const unsigned at = 2 * s * tid;
      if (at < blockDim.x) {
        sum[at] += sum[at + s];
      }
      __syncthreads();
    }
  } else {
    constexpr unsigned kLast = FORM == ReductionForm::kWarp ? 32 : 1;
    for (unsigned s = blockDim.x / 2; s >= kLast; s /= 2) {
      if (tid < s) {
        sum[tid] += sum[tid + s];
      }
      __syncthreads();
    }
  }
  if constexpr (FORM == ReductionForm::kWarp) {
    if (tid < 32) {
      const float all = over_warp<Sum>(sum[tid]);
      if (tid == 0) {
        out[blockIdx.x] = all;
      }
    }
  } else if (tid == 0) {
    out[blockIdx.x] = sum[0];
  }
}

}  // namespace tilescope::gpu
