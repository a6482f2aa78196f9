// Step 8: stream-K. The steps of all tiles, tile by tile, are dealt out evenly to as many CTAs as the GPU has SMs, so
// that a CTA may begin in the middle of a tile and end in the middle of another one. What a CTA sums of a tile that
// another one began, it leaves in `partials` and says so by a flag; the CTA that began the tile waits for it and adds.
// The pipeline is that of gemm_pipelined.
#pragma once

#include "pipeline_tile.cuh"

namespace tilescope::gpu {

__device__ inline unsigned load_acquire(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline void store_release(unsigned* to, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// Requires m, n and k to be multiples of the tile, all CTAs to be resident at once, and flags, one a CTA, to be zero;
// leaves them so. partials: BM * BN floats a CTA.
template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>::kThreads)
    gemm_streamk(const char* __restrict__ a, const char* __restrict__ b, float2* __restrict__ c, float4* partials,
                 unsigned* flags, int m, int n, int k) {
  static_assert(TYPE != TensorType::kS8, "sums are floats");
  using Tile = PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>;
  const int pitch = k * bytes_of(TYPE);
  const int steps = pitch / BYTES;
  const int columns_of_tiles = n / BN;
  const int total = m / BM * columns_of_tiles * steps;
  const int share = (total + gridDim.x - 1) / gridDim.x;
  int at = blockIdx.x * share;
  const int end = min(at + share, total);
  Tile tile;
  tile.shared = ring_address();
  const auto each_four = [&](float4* of, auto f) {
#pragma unroll
    for (int y = 0; y < WM / 16; ++y) {
#pragma unroll
      for (int x = 0; x < WN / 8; ++x) {
        f(tile.sum[y][x], of[(y * (WN / 8) + x) * Tile::kThreads + threadIdx.x]);
      }
    }
  };
  while (at < end) {
    const int index = at / steps;
    const int first = at % steps;
    const int count = min(steps - first, end - at);
    const int row = index / columns_of_tiles * BM;
    const int column = index % columns_of_tiles * BN;
    tile.clear();
    tile.run(a + static_cast<std::size_t>(row) * pitch + first * BYTES,
             b + static_cast<std::size_t>(column) * pitch + first * BYTES, pitch, count);
    at += count;
    if (first != 0) {
      each_four(partials + static_cast<std::size_t>(blockIdx.x) * (BM * BN / 4),
                [](const unsigned(&sum)[4], float4& to) {
                  to = make_float4(__uint_as_float(sum[0]), __uint_as_float(sum[1]), __uint_as_float(sum[2]),
                                   __uint_as_float(sum[3]));
                });
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) {
        store_release(&flags[blockIdx.x], 1);
      }
      continue;
    }
    int other = blockIdx.x;
    for (int done = count; done < steps; done += share) {
      ++other;
      if (threadIdx.x == 0) {
        while (load_acquire(&flags[other]) == 0) {
        }
        flags[other] = 0;
      }
      __syncthreads();
      each_four(partials + static_cast<std::size_t>(other) * (BM * BN / 4), [](unsigned(&sum)[4], const float4& from) {
        const float4 value = __ldcg(&from);
        sum[0] = __float_as_uint(__uint_as_float(sum[0]) + value.x);
        sum[1] = __float_as_uint(__uint_as_float(sum[1]) + value.y);
        sum[2] = __float_as_uint(__uint_as_float(sum[2]) + value.z);
        sum[3] = __float_as_uint(__uint_as_float(sum[3]) + value.w);
      });
    }
    float2* to = c + (static_cast<std::size_t>(row) * n + column) / 2;
    tile.each_pair([&](int y, int x, unsigned first_sum, unsigned second_sum) {
      to[(y * n + x) / 2] = make_float2(__uint_as_float(first_sum), __uint_as_float(second_sum));
    });
  }
}

}  // namespace tilescope::gpu
