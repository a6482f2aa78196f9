// Step 3: register tiling. A CTA owns a BM x BN tile of C, a thread TM x TN of it; K advances by BK through shared
// memory. A's tile is stored transposed, so that a thread reads its TM values side by side.
#pragma once

#include "raster.cuh"

namespace tilescope::gpu {

// Requires m, n and k to be multiples of BM, BN and BK. VECTOR is 1 (float) or 4 (float4) for the global accesses.
template <int BM, int BN, int BK, int TM, int TN, int VECTOR>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    gemm_register(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k,
                  int group) {
  static_assert(VECTOR == 1 || VECTOR == 4, "float or float4");
  static_assert(BM % TM == 0 && BN % TN == 0 && BK % VECTOR == 0 && TN % VECTOR == 0, "the tile must divide evenly");
  constexpr int kThreads = (BM / TM) * (BN / TN);
  constexpr int kAccessesA = BM * BK / VECTOR;  // global loads per tile, and how many of them a thread makes
  constexpr int kAccessesB = BK * BN / VECTOR;
  constexpr int kStepsA = (kAccessesA + kThreads - 1) / kThreads;
  constexpr int kStepsB = (kAccessesB + kThreads - 1) / kThreads;
  __shared__ alignas(16) float sA[BK][BM];
  __shared__ alignas(16) float sB[BK][BN];

  const int tid = threadIdx.x;
  const int tx = tid % (BN / TN);
  const int ty = tid / (BN / TN);
  const TileIndex tile = tile_of_cta(group);
  a += tile.m * BM * k;
  b += tile.n * BN;
  c += tile.m * BM * n + tile.n * BN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
#pragma unroll
    for (int step = 0; step < kStepsA; ++step) {
      const int i = tid + step * kThreads;
      if (kAccessesA % kThreads != 0 && i >= kAccessesA) {
        break;  // fewer accesses than threads: the others sit this one out
      }
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
    for (int step = 0; step < kStepsB; ++step) {
      const int i = tid + step * kThreads;
      if (kAccessesB % kThreads != 0 && i >= kAccessesB) {
        break;
      }
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
      float a_part[TM];
      float b_part[TN];
#pragma unroll
      for (int y = 0; y < TM; ++y) {
        a_part[y] = sA[i][ty * TM + y];
      }
#pragma unroll
      for (int x = 0; x < TN; ++x) {
        b_part[x] = sB[i][tx * TN + x];
      }
#pragma unroll
      for (int y = 0; y < TM; ++y) {
#pragma unroll
        for (int x = 0; x < TN; ++x) {
          sum[y][x] += a_part[y] * b_part[x];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < TM; ++y) {
    float* const out = &c[(ty * TM + y) * n + tx * TN];
#pragma unroll
    for (int x = 0; x < TN; x += VECTOR) {
      if constexpr (VECTOR == 4) {
        *reinterpret_cast<float4*>(&out[x]) = make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
      } else {
        out[x] = sum[y][x];
      }
    }
  }
}

}  // namespace tilescope::gpu
