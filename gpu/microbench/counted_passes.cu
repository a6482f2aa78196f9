// What do passes over a set larger than L2 wait for? The same bytes in other orders, by as many warps.
//
// counted_passes: one CTA of `threads` threads on each SM reads `megabytes` `passes` times, 16 bytes a lane.
// order=lines: the next warp of the next CTA reads the next 512 bytes; parts: CTAs read parts of their own so; tiles: a
// warp reads 2 KB, the next warp of the same CTA the tile `SMs` further on.
#include <string>

#include "../common/random.h"
#include "benchmarks.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 20;

__global__ void probe_lines(const uint4* data, int count, int passes, unsigned* sink) {
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
      const uint4 v = __ldcg(&data[i]);
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

// Each CTA reads a part of its own.
__global__ void probe_parts(const uint4* data, int count, int passes, unsigned* sink) {
  const int part = count / static_cast<int>(gridDim.x);
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const uint4* const from = data + static_cast<std::size_t>(blockIdx.x) * part;
    for (int i = threadIdx.x; i < part; i += blockDim.x) {
      const uint4 v = __ldcg(&from[i]);
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

__global__ void probe_tiles(const uint4* data, int tiles, int passes, const int* rank_of_sm, int readers,
                            unsigned* sink) {
  read_tiles(data, tiles, passes, false, rank_of_sm, readers, sink);
}

}  // namespace

void counted_passes(Report& report) {
  const Recorder<uint4> data(kBufferBytes / sizeof(uint4));
  const Recorder<unsigned> sink(1);
  std::vector<int> sms;
  for (int i = 0; i < sm_count(); ++i) {
    sms.push_back(i);
  }
  const SmSet all(sms);
  check(cudaFuncSetAttribute(probe_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  check(cudaFuncSetAttribute(probe_parts, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  check(cudaFuncSetAttribute(probe_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  fill_random_bits(reinterpret_cast<std::uint32_t*>(data.device()), kBufferBytes / sizeof(std::uint32_t), 1);
  for (const int threads : {32, 64, 128, 256, 512, 1024}) {
    for (const int megabytes : {16, 200}) {
      for (const int passes : {1, 4}) {
        if (megabytes == 200 && passes > 1) {
          continue;
        }
        const int count = megabytes * 1000000 / static_cast<int>(sizeof(uint4));
        const std::string rest = ";megabytes=" + std::to_string(megabytes) + ";passes=" + std::to_string(passes) +
                                 ";threads=" + std::to_string(threads);
        probe_lines<<<sm_count(), threads, kOneCtaPerSm>>>(data.device(), count, passes, sink.device());
        finish("probe_lines");
        report.launch("counted_passes", "order=lines" + rest);
        probe_parts<<<sm_count(), threads, kOneCtaPerSm>>>(data.device(), count, passes, sink.device());
        finish("probe_parts");
        report.launch("counted_passes", "order=parts" + rest);
        probe_tiles<<<sm_count(), threads, kOneCtaPerSm>>>(data.device(), count / kReadTile, passes, all.ranks(),
                                                           all.size(), sink.device());
        finish("probe_tiles");
        report.launch("counted_passes", "order=tiles" + rest);
      }
    }
  }
}

}  // namespace tilescope::gpu
