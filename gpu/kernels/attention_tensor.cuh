// Attention in one kernel on tensor cores, FP16 with sums of 32 bits: cp.async brings the next tile of keys and values
// while mma.sync works on this one. Four warps have 16 queries each; scores stay in the registers in which the products
// leave them, which is where the next product takes its weights from.
#pragma once

#include <cuda_fp16.h>

#include "pipeline_tile.cuh"

namespace tilescope::gpu {

constexpr int kTensorQueries = 64;
constexpr int kTensorThreads = 128;

template <int D, int KEYS>
constexpr int kTensorShared = 2 * D*(kTensorQueries + 4 * KEYS);  // byte: queries, and two buffers of keys and values

// Chunks of 16 bytes of a row are permuted by XOR with the row.
template <int D>
__device__ unsigned half_place(int row, int chunk) {
  return row * (2 * D) + ((chunk ^ (row & 7)) * 16);
}

// Starts copies of ROWS rows of D halves that lie side by side.
template <int ROWS, int D>
__device__ void fetch_halves(unsigned to, const char* from) {
#pragma unroll
  for (int i = threadIdx.x; i < ROWS * D / 8; i += kTensorThreads) {
    copy_16_async(to + half_place<D>(i / (D / 8), i % (D / 8)), from + i * 16);
  }
}

__device__ inline void load_matrices_transposed(unsigned (&to)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared)
               : "memory");
}

__device__ inline unsigned packed_halves(float a, float b) {
  const __half2 both = __floats2half2_rn(a, b);
  return *reinterpret_cast<const unsigned*>(&both);
}

// Over the four lanes that share a row of a product.
__device__ inline float largest_of_quad(float v) {
  v = fmaxf(v, __shfl_xor_sync(0xffffffffU, v, 1));
  return fmaxf(v, __shfl_xor_sync(0xffffffffU, v, 2));
}
__device__ inline float sum_of_quad(float v) {
  v += __shfl_xor_sync(0xffffffffU, v, 1);
  return v + __shfl_xor_sync(0xffffffffU, v, 2);
}

// `scale` is that of the scores times log2(e). Grid: tiles of queries, heads. With CAUSAL the last queries, which see
// most keys, come first.
template <int D, int KEYS, bool CAUSAL>
__global__ void __launch_bounds__(kTensorThreads)
    attention_tensor(const char* __restrict__ queries, const char* __restrict__ keys, const char* __restrict__ values,
                     unsigned* __restrict__ out, int n, float scale) {
  constexpr int kTileBytes = KEYS * D * 2;
  constexpr float kMaskedScore = -1e30f;
  const unsigned query_tile = ring_address();
  const unsigned ring = query_tile + kTensorQueries * D * 2;  // keys and values of one buffer, then of the other
  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x / 32 * 16;
  const int query0 = (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * kTensorQueries;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * n * D * 2;
  const int tiles = ((CAUSAL ? query0 + kTensorQueries : n) + KEYS - 1) / KEYS;
  keys += head;
  values += head;

  fetch_halves<kTensorQueries, D>(query_tile, queries + head + static_cast<std::size_t>(query0) * D * 2);
  fetch_halves<KEYS, D>(ring, keys);
  fetch_halves<KEYS, D>(ring + kTileBytes, values);
  copy_commit();

  unsigned query[D / 16][4];
  unsigned sum[D / 8][4];
  float largest[2] = {kMaskedScore, kMaskedScore};  // of rows lane / 4 and lane / 4 + 8
  float total[2] = {};
#pragma unroll
  for (int x = 0; x < D / 8; ++x) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum[x][i] = 0;
    }
  }
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned key_tile = ring + tile % 2 * 2 * kTileBytes;
    const unsigned value_tile = key_tile + kTileBytes;
    if (tile + 1 < tiles) {
      const unsigned next = ring + (tile + 1) % 2 * 2 * kTileBytes;
      fetch_halves<KEYS, D>(next, keys + static_cast<std::size_t>(tile + 1) * kTileBytes);
      fetch_halves<KEYS, D>(next + kTileBytes, values + static_cast<std::size_t>(tile + 1) * kTileBytes);
    }
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    if (tile == 0) {
#pragma unroll
      for (int k = 0; k < D / 16; ++k) {
        load_matrices(query[k], query_tile + half_place<D>(warp_row + lane % 16, k * 2 + lane / 16));
      }
    }
    unsigned bits[KEYS / 8][4];
    auto& score = reinterpret_cast<float(&)[KEYS / 8][4]>(bits);
#pragma unroll
    for (int x = 0; x < KEYS / 16; ++x) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        bits[2 * x][i] = bits[2 * x + 1][i] = 0;
      }
#pragma unroll
      for (int k = 0; k < D / 16; ++k) {
        unsigned key[4];
        load_matrices(key, key_tile + half_place<D>(x * 16 + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2));
        multiply<TensorType::kF16>(bits[2 * x], query[k], key[0], key[1]);
        multiply<TensorType::kF16>(bits[2 * x + 1], query[k], key[2], key[3]);
      }
    }
    if (CAUSAL && (tile + 1) * KEYS > query0 + warp_row) {
#pragma unroll
      for (int x = 0; x < KEYS / 8; ++x) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = tile * KEYS + x * 8 + lane % 4 * 2 + i % 2;
          score[x][i] = key <= query0 + warp_row + lane / 4 + i / 2 * 8 ? score[x][i] : kMaskedScore;
        }
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float larger = largest[half];
#pragma unroll
      for (int x = 0; x < KEYS / 8; ++x) {
        larger = fmaxf(larger, fmaxf(score[x][2 * half], score[x][2 * half + 1]));
      }
      larger = largest_of_quad(larger);
      const float shrink = exp2f((largest[half] - larger) * scale);
      largest[half] = larger;
      total[half] *= shrink;
#pragma unroll
      for (int x = 0; x < KEYS / 8; ++x) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          score[x][i] = exp2f((score[x][i] - larger) * scale);
          total[half] += score[x][i];
        }
      }
#pragma unroll
      for (int x = 0; x < D / 8; ++x) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          sum[x][i] = __float_as_uint(__uint_as_float(sum[x][i]) * shrink);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
      const unsigned weight[4] = {packed_halves(score[2 * k][0], score[2 * k][1]),
                                  packed_halves(score[2 * k][2], score[2 * k][3]),
                                  packed_halves(score[2 * k + 1][0], score[2 * k + 1][1]),
                                  packed_halves(score[2 * k + 1][2], score[2 * k + 1][3])};
#pragma unroll
      for (int x = 0; x < D / 16; ++x) {
        unsigned value[4];
        load_matrices_transposed(value, value_tile + half_place<D>(k * 16 + lane % 16, x * 2 + lane / 16));
        multiply<TensorType::kF16>(sum[2 * x], weight, value[0], value[1]);
        multiply<TensorType::kF16>(sum[2 * x + 1], weight, value[2], value[3]);
      }
    }
    __syncthreads();  // all warps have read the buffer that is filled next
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float share = __fdividef(1.0f, sum_of_quad(total[half]));
    const int row = query0 + warp_row + lane / 4 + 8 * half;
    unsigned* const to = out + (head + static_cast<std::size_t>(row) * D * 2) / 4 + lane % 4;
#pragma unroll
    for (int x = 0; x < D / 8; ++x) {
      to[x * 4] =
          packed_halves(__uint_as_float(sum[x][2 * half]) * share, __uint_as_float(sum[x][2 * half + 1]) * share);
    }
  }
}

}  // namespace tilescope::gpu
