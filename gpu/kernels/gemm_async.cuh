// Step 4: the tiled GEMM with cp.async and two buffers: while tile i is multiplied, tile i + 1 travels from global to
// shared memory without passing through registers. T x T tiles, one output per thread, as in gemm_tiled.
#pragma once

#include <cuda_pipeline.h>

namespace tilescope::gpu {

// Requires m, n and k to be multiples of T. VECTOR is the floats of one copy: 1 (cp.async.ca, through L1; every thread
// copies one float of A and one of B) or 4 (cp.async.cg, past L1; the first T * T / 4 threads copy A, as many behind
// them B).
template <int T, int VECTOR>
__global__ void __launch_bounds__(T* T)
    gemm_async(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  static_assert(VECTOR == 1 || VECTOR == 4, "one float or four");
  __shared__ alignas(16) float sA[2][T][T];
  __shared__ alignas(16) float sB[2][T][T];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int tid = ty * T + tx;
  constexpr int kCopies = T * T / VECTOR;  // of one tile
  const int copied_row = tid % kCopies / (T / VECTOR);
  const int copied_col = tid % (T / VECTOR) * VECTOR;
  const float* from_a = a + (blockIdx.y * T + copied_row) * k + copied_col;
  const float* from_b = b + copied_row * n + blockIdx.x * T + copied_col;

  const auto copy_tile = [&](int buffer) {
    if (tid < kCopies) {
      __pipeline_memcpy_async(&sA[buffer][copied_row][copied_col], from_a, sizeof(float) * VECTOR);
    }
    if (VECTOR == 1 || (tid >= kCopies && tid < 2 * kCopies)) {
      __pipeline_memcpy_async(&sB[buffer][copied_row][copied_col], from_b, sizeof(float) * VECTOR);
    }
    from_a += T;
    from_b += T * n;
  };

  float sum = 0.0f;
  copy_tile(0);
  __pipeline_commit();
  int buffer = 0;
  for (int k0 = 0; k0 < k; k0 += T) {
    if (k0 + T < k) {
      copy_tile(buffer ^ 1);
    }
    __pipeline_commit();       // an empty group behind the last tile, so that one group is always the newest
    __pipeline_wait_prior(1);  // all but the newest: this tile is here
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += sA[buffer][ty][i] * sB[buffer][i][tx];
    }
    __syncthreads();  // the next copy overwrites what was just read
    buffer ^= 1;
  }
  c[(blockIdx.y * T + ty) * n + blockIdx.x * T + tx] = sum;
}

}  // namespace tilescope::gpu
