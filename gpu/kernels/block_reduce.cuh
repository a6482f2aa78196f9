// Sums and maxima over a warp and over a CTA whose threads are a multiple of 32.
#pragma once

namespace tilescope::gpu {

struct Sum {
  static __device__ float of(float a, float b) { return a + b; }
};
struct Maximum {
  static __device__ float of(float a, float b) { return fmaxf(a, b); }
};

// Of all 32 lanes, known to each.
template <class Operation>
__device__ float over_warp(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = Operation::of(value, __shfl_xor_sync(0xffffffffU, value, distance));
  }
  return value;
}

// Of all threads, known to each. `per_warp` has a place for each warp, and is free again when this returns.
template <class Operation>
__device__ float over_block(float value, float* per_warp) {
  value = over_warp<Operation>(value);
  const int warps = blockDim.x / 32;
  if (warps == 1) {
    return value;
  }
  if (threadIdx.x % 32 == 0) {
    per_warp[threadIdx.x / 32] = value;
  }
  __syncthreads();
  value = per_warp[0];
  for (int warp = 1; warp < warps; ++warp) {
    value = Operation::of(value, per_warp[warp]);
  }
  __syncthreads();
  return value;
}

}  // namespace tilescope::gpu
