// How a warp stores to the places of its SM (homes.h), again and again.
//   line, one; half, 64 bytes of each of two; sector, 32 bytes of each of four; word, 4 bytes of each of 32; row, 32
//   bytes of eight lines in rows 4 KiB apart, as in tile_store, and the next instruction the lines beside them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "homes.h"

namespace tilescope::gpu {

constexpr unsigned kLine = 128;           // bytes
constexpr unsigned kOfWarp = 2 * kPlace;  // bytes
constexpr int kStoreGroup = 4;            // instructions between two looks at the clock

enum class Store { line, half, sector, word, row };

inline const char* name_of(Store store) {
  switch (store) {
    case Store::line:
      return "line";
    case Store::half:
      return "half";
    case Store::sector:
      return "sector";
    case Store::word:
      return "word";
    default:
      return "row";
  }
}

__host__ __device__ constexpr unsigned piece_of(Store store) {  // bytes of a line
  return store == Store::line ? 128 : store == Store::half ? 64 : store == Store::word ? 4 : 32;
}
__host__ __device__ constexpr unsigned sectors_of(Store store) {
  return store == Store::row ? 8 : store == Store::word ? 32 : 4;
}

template <Store kStore>
__device__ void store_some(char* data, const unsigned* own, unsigned step) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < kStoreGroup; ++i) {
    const unsigned n = step * kStoreGroup + i;
    if (kStore == Store::row) {
      // Four warps share eight places, a KiB of each.
      char* const row = data + std::size_t{own[warp % 4 * 8 + lane / 4]} * kPlace + warp / 4 * 1024;
      *reinterpret_cast<float2*>(row + (n * kLine + n / 8 * 32) % 1024 + lane % 4 * 8) = make_float2(n, lane);
    } else {
      constexpr unsigned kLanes = piece_of(kStore) / 4;
      const unsigned at = (n * (32 / kLanes) + lane / kLanes) * kLine % kOfWarp;
      char* const place = data + std::size_t{own[warp * 2 + at / kPlace]} * kPlace;
      asm volatile("st.global.u32 [%0], %1;" ::"l"(place + at % kPlace + lane % kLanes * 4), "r"(n) : "memory");
    }
  }
}

}  // namespace tilescope::gpu
