// Step 1: one output per thread, every operand straight from global memory.
#pragma once

namespace tilescope::gpu {

// Which index of C neighbouring lanes walk.
enum class Lanes {
  kColumns,  // lane i+1 owns the next column: B and C coalesce, A is a broadcast
  kRows,     // lane i+1 owns the next row: A and C touch one line per lane, B is a broadcast
};

template <Lanes kLanes>
__global__ void gemm_naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                           int n, int k) {
  const int fast = blockIdx.x * blockDim.x + threadIdx.x;
  const int slow = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = kLanes == Lanes::kColumns ? slow : fast;
  const int col = kLanes == Lanes::kColumns ? fast : slow;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
      sum += a[row * k + i] * b[i * n + col];
    }
    c[row * n + col] = sum;
  }
}

}  // namespace tilescope::gpu
