// Attention whose scores lie in memory, N x N for each head: these two kernels, and softmax.cuh between them.
#pragma once

#include "attention_tile.cuh"

namespace tilescope::gpu {

// scores = scale * queries * keys^T; masked where the key is behind the query and CAUSAL. Grid: tiles of keys, tiles of
// queries, heads.
template <int D, bool CAUSAL>
__global__ void __launch_bounds__(kAttentionThreads)
    attention_scores(const float* __restrict__ queries, const float* __restrict__ keys, float* __restrict__ scores,
                     int n, float scale) {
  extern __shared__ float4 attention_shared[];
  float* const query_tile = reinterpret_cast<float*>(attention_shared);
  float* const key_tile = query_tile + kQueries * kTileFloats<D>;
  const int query0 = blockIdx.y * kQueries;
  const int key0 = blockIdx.x * kQueries;
  const std::size_t head = static_cast<std::size_t>(blockIdx.z) * n;
  scores += (head + query0 + thread_row()) * n + key0 + thread_column();
  float score[4][kQueries / 16] = {};
  if (!CAUSAL || key0 <= query0) {  // the others are masked throughout
    bring_rows<kQueries, D>(query_tile, queries + (head + query0) * D, D);
    bring_rows<kQueries, D>(key_tile, keys + (head + key0) * D, D);
    __syncthreads();
    multiply_keys<kQueries, D>(score, query_tile, key_tile);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < kQueries / 16; ++j) {
      const bool seen = !CAUSAL || key0 + thread_column() + 16 * j <= query0 + thread_row() + i;
      scores[static_cast<std::size_t>(i) * n + 16 * j] = seen ? score[i][j] * scale : kMasked;
    }
  }
}

// out = weights * values. Grid: tiles of queries, heads.
template <int D>
__global__ void __launch_bounds__(kAttentionThreads)
    attention_values(const float* __restrict__ weights, const float* __restrict__ values, float* __restrict__ out,
                     int n) {
  constexpr int kKeys = 32;
  __shared__ alignas(16) float weight_tile[kQueries * kTileFloats<kKeys>];
  __shared__ alignas(16) float value_tile[kKeys * kTileFloats<D>];
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * n;
  const std::size_t query0 = head + blockIdx.x * kQueries;
  float4 sum[4][D / 64] = {};
  for (int key0 = 0; key0 < n; key0 += kKeys) {
    bring_rows<kQueries, kKeys>(weight_tile, weights + query0 * n + key0, n);
    bring_rows<kKeys, D>(value_tile, values + (head + key0) * D, D);
    __syncthreads();
    add_values<kKeys, D>(sum, weight_tile, value_tile);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int c = 0; c < D / 64; ++c) {
      *reinterpret_cast<float4*>(&out[(query0 + thread_row() + i) * D + 4 * thread_column() + 64 * c]) = sum[i][c];
    }
  }
}

}  // namespace tilescope::gpu
