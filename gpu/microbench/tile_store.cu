// How long the sums of a tile (tile_of_sums.cuh) take to leave an SM; rows `pitch` bytes apart.
//   sms=1 or all; warps: of the one CTA of each SM; tiles: that a warp stores one behind the other.
//   issued: cycles until the last store of a warp has issued; seen: until a fence behind them has passed. Means over
//   the SMs of their slowest warp.
#include <algorithm>
#include <numeric>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "tile_of_sums.cuh"

namespace tilescope::gpu {
namespace {

__global__ void store_tiles(float2* to, int pitch, int tiles, int* issued, int* seen) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  __syncthreads();
  const unsigned start = clock_now();
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    store_tile_of_sums(to, pitch, ((static_cast<int>(blockIdx.x) * tiles + tile) * warps + warp) * kTileRows, lane);
  }
  const unsigned stop = clock_now();
  __threadfence();
  const unsigned end = clock_now();
  if (lane == 0) {
    atomicMax(issued + blockIdx.x, static_cast<int>(stop - start));
    atomicMax(seen + blockIdx.x, static_cast<int>(end - start));
  }
}

double mean(const std::vector<int>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void tile_store(Report& report) {
  check(cudaFuncSetAttribute(store_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const Recorder<float2> data(std::size_t{1} << 27);
  for (const bool all : {false, true}) {
    for (const int pitch : {512, 3072, 4096, 4608, 5120, 6144, 7168, 8192, 8704, 9216, 12288, 16384}) {
      for (const int warps : {1, 4, 8}) {
        for (const int tiles : {1, 2, 4}) {
          const int ctas = all ? sm_count() : 1;
          Recorder<int> issued(ctas);
          Recorder<int> seen(ctas);
          for (int pass = 0; pass < 2; ++pass) {
            issued.clear();
            seen.clear();
            flush_l2();
            store_tiles<<<ctas, 32 * warps, kOneCtaPerSm>>>(data.device(), pitch, tiles, issued.device(),
                                                            seen.device());
            finish("store_tiles");
          }
          const std::string the_case = std::string("sms=") + (all ? "all" : "1") + ";pitch=" + std::to_string(pitch) +
                                       ";warps=" + std::to_string(warps) + ";tiles=" + std::to_string(tiles);
          report.scalar("tile_store", the_case, "issued", mean(issued.host()), "cycle");
          report.scalar("tile_store", the_case, "seen", mean(seen.host()), "cycle");
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
