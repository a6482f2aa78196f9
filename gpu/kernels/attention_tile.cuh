// What the FP32 attention kernels share. A CTA of 256 threads owns 64 queries of a head: 16 rows of 16 threads, of
// which a thread has four queries and, of a tile of keys, every 16th. Queries, keys and values are rows of D floats; in
// shared memory they lie 16 bytes further apart, so that 16 lanes that read rows one below the other meet no bank
// twice.
#pragma once

#include <cuda_runtime.h>

namespace tilescope::gpu {

constexpr int kQueries = 64;  // of a CTA
constexpr int kAttentionThreads = 256;
constexpr int kRowPad = 4;         // floats between rows in shared memory
constexpr float kMasked = -1e30f;  // a score that counts for nothing

template <int D>
constexpr int kTileFloats = (D + kRowPad);  // of a row

__device__ inline int thread_row() { return static_cast<int>(threadIdx.x) / 16 * 4; }  // the first of its four queries
__device__ inline int thread_column() { return static_cast<int>(threadIdx.x) % 16; }

// Brings ROWS rows of D floats, `pitch` floats apart, to shared memory.
template <int ROWS, int D>
__device__ void bring_rows(float* to, const float* from, int pitch) {
#pragma unroll
  for (int i = threadIdx.x; i < ROWS * D / 4; i += kAttentionThreads) {
    const int row = i / (D / 4);
    const int column = i % (D / 4) * 4;
    *reinterpret_cast<float4*>(&to[row * kTileFloats<D> + column]) =
        *reinterpret_cast<const float4*>(&from[static_cast<std::size_t>(row) * pitch + column]);
  }
}

__device__ inline float dot(float4 a, float4 b, float sum) {
  sum += a.x * b.x;
  sum += a.y * b.y;
  sum += a.z * b.z;
  return sum + a.w * b.w;
}

// score[i][j]: of the thread's query i and key thread_column() + 16 j.
template <int KEYS, int D>
__device__ void multiply_keys(float (&score)[4][KEYS / 16], const float* queries, const float* keys) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < KEYS / 16; ++j) {
      score[i][j] = 0.0f;
    }
  }
#pragma unroll 4
  for (int at = 0; at < D; at += 4) {
    float4 query[4];
    float4 key[KEYS / 16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      query[i] = *reinterpret_cast<const float4*>(&queries[(thread_row() + i) * kTileFloats<D> + at]);
    }
#pragma unroll
    for (int j = 0; j < KEYS / 16; ++j) {
      key[j] = *reinterpret_cast<const float4*>(&keys[(thread_column() + 16 * j) * kTileFloats<D> + at]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < KEYS / 16; ++j) {
        score[i][j] = dot(query[i], key[j], score[i][j]);
      }
    }
  }
}

// sum[i][c] += of the thread's query i, weights times values, in columns 4 thread_column() + 64 c to + 3. `weights` has
// a row of KEYS for each query.
template <int KEYS, int D>
__device__ void add_values(float4 (&sum)[4][D / 64], const float* weights, const float* values) {
#pragma unroll 2
  for (int key = 0; key < KEYS; key += 4) {
    float4 weight[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      weight[i] = *reinterpret_cast<const float4*>(&weights[(thread_row() + i) * kTileFloats<KEYS> + key]);
    }
#pragma unroll
    for (int c = 0; c < D / 64; ++c) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float4 value =
            *reinterpret_cast<const float4*>(&values[(key + k) * kTileFloats<D> + 4 * thread_column() + 64 * c]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float by = k == 0 ? weight[i].x : k == 1 ? weight[i].y : k == 2 ? weight[i].z : weight[i].w;
          sum[i][c].x += by * value.x;
          sum[i][c].y += by * value.y;
          sum[i][c].z += by * value.z;
          sum[i][c].w += by * value.w;
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
