// Step 5: tensor cores. FP16 inputs, FP32 sums, wmma 16x16x16. A CTA owns a BM x BN tile of C, a warp WM x WN of it; K
// advances by BK through shared memory, in copies of 16 bytes.
#pragma once

#include <cuda_fp16.h>
#include <mma.h>

namespace tilescope::gpu {

// Requires m, n and k to be multiples of BM, BN and BK.
template <int BM, int BN, int BK, int WM, int WN>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    gemm_tensor(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c, int m, int n,
                int k) {
  static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % 16 == 0, "whole fragments");
  constexpr int kThreads = (BM / WM) * (BN / WN) * 32;
  constexpr int kVector = 8;  // halves of one copy
  constexpr int kPad = 8;     // halves: keeps copies aligned and neighbouring rows in different banks
  constexpr int kCopiesA = BM * BK / kVector;
  constexpr int kCopiesB = BK * BN / kVector;
  static_assert(kCopiesA % kThreads == 0 && kCopiesB % kThreads == 0, "every thread makes as many copies");
  __shared__ alignas(32) __half sA[BM][BK + kPad];
  __shared__ alignas(32) __half sB[BK][BN + kPad];

  const int tid = threadIdx.x;
  const int warp = tid / 32;
  const int warp_row = warp / (BN / WN) * WM;
  const int warp_col = warp % (BN / WN) * WN;
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;

  using namespace nvcuda;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[WM / 16][WN / 16];
#pragma unroll
  for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
    for (int x = 0; x < WN / 16; ++x) {
      wmma::fill_fragment(sum[y][x], 0.0f);
    }
  }
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
    for (int i = tid; i < kCopiesA; i += kThreads) {
      const int row = i / (BK / kVector);
      const int col = i % (BK / kVector) * kVector;
      *reinterpret_cast<uint4*>(&sA[row][col]) = *reinterpret_cast<const uint4*>(&a[row * k + col]);
    }
#pragma unroll
    for (int i = tid; i < kCopiesB; i += kThreads) {
      const int row = i / (BN / kVector);
      const int col = i % (BN / kVector) * kVector;
      *reinterpret_cast<uint4*>(&sB[row][col]) = *reinterpret_cast<const uint4*>(&b[row * n + col]);
    }
    __syncthreads();
    a += BK;
    b += BK * n;
#pragma unroll
    for (int i = 0; i < BK; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> part_a[WM / 16];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> part_b[WN / 16];
#pragma unroll
      for (int y = 0; y < WM / 16; ++y) {
        wmma::load_matrix_sync(part_a[y], &sA[warp_row + y * 16][i], BK + kPad);
      }
#pragma unroll
      for (int x = 0; x < WN / 16; ++x) {
        wmma::load_matrix_sync(part_b[x], &sB[i][warp_col + x * 16], BN + kPad);
      }
#pragma unroll
      for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
        for (int x = 0; x < WN / 16; ++x) {
          wmma::mma_sync(sum[y][x], part_a[y], part_b[x], sum[y][x]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
    for (int x = 0; x < WN / 16; ++x) {
      wmma::store_matrix_sync(&c[(warp_row + y * 16) * n + warp_col + x * 16], sum[y][x], n, wmma::mem_row_major);
    }
  }
}

}  // namespace tilescope::gpu
