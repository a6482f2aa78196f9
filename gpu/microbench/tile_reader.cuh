// How the SMs of a set read a buffer together, 16 bytes a lane, past L1.
#pragma once

#include "sm_set.cuh"

namespace tilescope::gpu {

constexpr int kReadUnroll = 4;
constexpr int kReadTile = 32 * kReadUnroll;  // elements of 16 bytes: 2 KiB for a warp

__device__ inline uint4 load_past_l1(const uint4* address) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address));
  return v;
}

__device__ inline unsigned load_word_past_l1(const void* address) {
  unsigned v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");
  return v;
}

// What a warp reads of a tile of kReadTile elements: all loads are under way before the first is waited for.
__device__ inline unsigned sum_of_tile(const uint4* data, int tile) {
  const uint4* const from = data + static_cast<std::size_t>(tile) * kReadTile + threadIdx.x % 32;
  uint4 v[kReadUnroll];
#pragma unroll
  for (int i = 0; i < kReadUnroll; ++i) {
    v[i] = load_past_l1(from + i * 32);
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kReadUnroll; ++i) {
    sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  return sum;
}

// The warps of the SMs that take part (rank_of_sm; -1 does not) read `tiles` tiles of kReadTile elements, `passes`
// times. shared: every SM reads everything. Otherwise a tile is always read by the same warp. Called by all threads.
__device__ inline void read_tiles(const uint4* data, int tiles, int passes, bool shared, const int* rank_of_sm,
                                  int readers, unsigned* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  const int first = shared ? warp : warp * readers + rank;
  const int step = shared ? warps : warps * readers;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (int tile = first; tile < tiles; tile += step) {
      sum ^= sum_of_tile(data, tile);
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace tilescope::gpu
