// Attention in one kernel, FP32: a CTA keeps its queries, walks the keys in tiles and never writes a score to memory.
// Each row carries its maximum so far and its sum; where a tile raises the maximum, what is summed already is scaled
// down.
#pragma once

#include "attention_tile.cuh"

namespace tilescope::gpu {

template <int D, int KEYS>
constexpr int kFlashShared = (kQueries * (D + KEYS + 2 * kRowPad) + 2 * KEYS * (D + kRowPad)) * 4;  // byte

// Over the 16 threads of a row.
template <class Operation>
__device__ float over_row(float value, Operation operation) {
#pragma unroll
  for (int distance = 8; distance > 0; distance /= 2) {
    value = operation(value, __shfl_xor_sync(0xffffffffU, value, distance));
  }
  return value;
}

// Grid: tiles of queries, heads. With CAUSAL the last queries, which see most keys, come first.
template <int D, int KEYS, bool CAUSAL>
__global__ void __launch_bounds__(kAttentionThreads)
    attention_flash(const float* __restrict__ queries, const float* __restrict__ keys, const float* __restrict__ values,
                    float* __restrict__ out, int n, float scale) {
  extern __shared__ float4 attention_shared[];
  float* const query_tile = reinterpret_cast<float*>(attention_shared);
  float* const key_tile = query_tile + kQueries * kTileFloats<D>;
  float* const value_tile = key_tile + KEYS * kTileFloats<D>;
  float* const weight_tile = value_tile + KEYS * kTileFloats<D>;
  const int query0 = (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * kQueries;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * n;
  const int end = CAUSAL ? query0 + kQueries : n;

  bring_rows<kQueries, D>(query_tile, queries + (head + query0) * D, D);
  float largest[4] = {kMasked, kMasked, kMasked, kMasked};
  float total[4] = {};
  float4 sum[4][D / 64] = {};
  for (int key0 = 0; key0 < end; key0 += KEYS) {
    bring_rows<KEYS, D>(key_tile, keys + (head + key0) * D, D);
    bring_rows<KEYS, D>(value_tile, values + (head + key0) * D, D);
    __syncthreads();
    float score[4][KEYS / 16];
    multiply_keys<KEYS, D>(score, query_tile, key_tile);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float larger = largest[i];
#pragma unroll
      for (int j = 0; j < KEYS / 16; ++j) {
        const bool seen = !CAUSAL || key0 + thread_column() + 16 * j <= query0 + thread_row() + i;
        score[i][j] = seen ? score[i][j] * scale : kMasked;
        larger = fmaxf(larger, score[i][j]);
      }
      larger = over_row(larger, [](float a, float b) { return fmaxf(a, b); });
      const float shrink = __expf(largest[i] - larger);
      largest[i] = larger;
      total[i] *= shrink;
#pragma unroll
      for (int j = 0; j < KEYS / 16; ++j) {
        const float weight = __expf(score[i][j] - larger);
        total[i] += weight;
        weight_tile[(thread_row() + i) * kTileFloats<KEYS> + thread_column() + 16 * j] = weight;
      }
#pragma unroll
      for (int c = 0; c < D / 64; ++c) {
        sum[i][c].x *= shrink;
        sum[i][c].y *= shrink;
        sum[i][c].z *= shrink;
        sum[i][c].w *= shrink;
      }
    }
    __syncwarp();  // a row of weights is read by the 16 threads that wrote it
    add_values<KEYS, D>(sum, weight_tile, value_tile);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float share = __fdividef(1.0f, over_row(total[i], [](float a, float b) { return a + b; }));
#pragma unroll
    for (int c = 0; c < D / 64; ++c) {
      const float4 s = sum[i][c];
      *reinterpret_cast<float4*>(&out[(head + query0 + thread_row() + i) * D + 4 * thread_column() + 64 * c]) =
          make_float4(s.x * share, s.y * share, s.z * share, s.w * share);
    }
  }
}

}  // namespace tilescope::gpu
