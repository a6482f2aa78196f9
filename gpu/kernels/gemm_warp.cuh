// Step 4: warp tiling. A CTA owns a BM x BN tile of C, a warp WM x WN of it, a thread of the warp's 4 x 8 lanes WM / 4
// x WN / 8, in pieces of 4 x 4: lanes side by side read words side by side of both tiles. K advances by BK through
// shared memory; A's tile is stored transposed.
#pragma once

#include "raster.cuh"

namespace tilescope::gpu {

// Requires m, n and k to be multiples of BM, BN and BK. VECTOR is 1 (float) or 4 (float4) for the global accesses.
template <int BM, int BN, int BK, int WM, int WN, int VECTOR>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    gemm_warp(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k,
              int group) {
  static_assert(VECTOR == 1 || VECTOR == 4, "float or float4");
  static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 32 == 0, "whole pieces of 4 x 4");
  constexpr int kThreads = (BM / WM) * (BN / WN) * 32;
  constexpr int kPiecesM = WM / 16;  // of a thread
  constexpr int kPiecesN = WN / 32;
  static_assert(BM * BK % (kThreads * VECTOR) == 0 && BK * BN % (kThreads * VECTOR) == 0,
                "every thread makes as many loads");
  __shared__ alignas(16) float sA[BK][BM];
  __shared__ alignas(16) float sB[BK][BN];

  const int tid = threadIdx.x;
  const int warp = tid / 32;
  const int row0 = warp / (BN / WN) * WM + tid % 32 / 8 * 4;  // of the thread's first piece
  const int col0 = warp % (BN / WN) * WN + tid % 8 * 4;
  const TileIndex tile = tile_of_cta(group);
  a += tile.m * BM * k;
  b += tile.n * BN;
  c += tile.m * BM * n + tile.n * BN;

  float sum[kPiecesM * 4][kPiecesN * 4] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
    for (int i = tid; i < BM * BK / VECTOR; i += kThreads) {
      const int row = i / (BK / VECTOR);
      const int col = i % (BK / VECTOR) * VECTOR;
      if constexpr (VECTOR == 4) {
        const float4 value = *reinterpret_cast<const float4*>(&a[row * k + col]);
        sA[col + 0][row] = value.x;
        sA[col + 1][row] = value.y;
        sA[col + 2][row] = value.z;
        sA[col + 3][row] = value.w;
      } else {
        sA[col][row] = a[row * k + col];
      }
    }
#pragma unroll
    for (int i = tid; i < BK * BN / VECTOR; i += kThreads) {
      const int row = i / (BN / VECTOR);
      const int col = i % (BN / VECTOR) * VECTOR;
      if constexpr (VECTOR == 4) {
        *reinterpret_cast<float4*>(&sB[row][col]) = *reinterpret_cast<const float4*>(&b[row * n + col]);
      } else {
        sB[row][col] = b[row * n + col];
      }
    }
    __syncthreads();
    a += BK;
    b += BK * n;
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      float a_part[kPiecesM * 4];
      float b_part[kPiecesN * 4];
#pragma unroll
      for (int y = 0; y < kPiecesM * 4; ++y) {
        a_part[y] = sA[i][row0 + y / 4 * 16 + y % 4];
      }
#pragma unroll
      for (int x = 0; x < kPiecesN * 4; ++x) {
        b_part[x] = sB[i][col0 + x / 4 * 32 + x % 4];
      }
#pragma unroll
      for (int y = 0; y < kPiecesM * 4; ++y) {
#pragma unroll
        for (int x = 0; x < kPiecesN * 4; ++x) {
          sum[y][x] += a_part[y] * b_part[x];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < kPiecesM * 4; ++y) {
#pragma unroll
    for (int x = 0; x < kPiecesN * 4; x += VECTOR) {
      float* const out = &c[(row0 + y / 4 * 16 + y % 4) * n + col0 + x / 4 * 32 + x % 4];
      if constexpr (VECTOR == 4) {
        *reinterpret_cast<float4*>(out) = make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
      } else {
        *out = sum[y][x];
      }
    }
  }
}

}  // namespace tilescope::gpu
