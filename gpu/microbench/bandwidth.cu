// Bytes per second from L2 and HBM by working set, by sharing and by number of SMs. 16-byte accesses that bypass L1,
// one CTA per SM.
#include <algorithm>

#include "../common/random.h"
#include "benchmarks.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 1024;

__global__ void read(const uint4* data, int tiles, int passes, bool shared, const int* rank_of_sm, int readers,
                     unsigned* sink) {
  read_tiles(data, tiles, passes, shared, rank_of_sm, readers, sink);
}

__global__ void write(uint4* data, std::size_t count) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    data[i] = make_uint4(1, 2, 3, 4);
  }
}

__global__ void copy(const uint4* from, uint4* to, std::size_t count) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    to[i] = from[i];
  }
}

std::vector<int> every(int step, int count) {
  std::vector<int> sms;
  for (int i = 0; i < count; ++i) {
    sms.push_back(i * step);
  }
  return sms;
}

template <class Launch>
float median_ms(Launch&& launch) {
  StopWatch watch;
  launch();
  std::vector<float> times(5);
  for (float& ms : times) {
    ms = watch.time_ms(launch);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

void measure_read(Report& report, const Recorder<uint4>& data, std::size_t bytes, bool shared, const SmSet& set,
                  const std::string& the_case) {
  const int tiles = static_cast<int>(bytes / (kReadTile * sizeof(uint4)));
  const double bytes_per_pass = static_cast<double>(bytes) * (shared ? set.size() : 1);
  const int passes = std::max(2, static_cast<int>(4e6 * 132 / bytes_per_pass * set.size()));
  static const Recorder<unsigned> sink(1);
  check(cudaFuncSetAttribute(read, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "cudaFuncSetAttribute");
  const float ms = median_ms([&] {
    read<<<sm_count(), kThreads, kOneCtaPerSm>>>(data.device(), tiles, passes, shared, set.ranks(), set.size(),
                                                 sink.device());
  });
  report.scalar("bandwidth", the_case, "rate", bytes_per_pass * passes / ms * 1e-6, "GB/s");
}

}  // namespace

void bandwidth(Report& report) {
  constexpr std::size_t kMiB = 1 << 20;
  const Recorder<uint4> data(1024 * kMiB / sizeof(uint4));
  const Recorder<uint4> other(1024 * kMiB / sizeof(uint4));
  // Not zeros: a link or a DRAM may carry those at less cost.
  fill_random_bits(reinterpret_cast<std::uint32_t*>(data.device()), 1024 * kMiB / sizeof(std::uint32_t), 1);
  const SmSet all(every(1, sm_count()));
  for (const int mib : {2, 4, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 128, 256, 1024}) {
    const std::string bytes = ";mib=" + std::to_string(mib);
    measure_read(report, data, mib * kMiB, false, all, "op=read;readers=one" + bytes);
    if (mib <= 64 && mib % 8 == 0) {
      measure_read(report, data, mib * kMiB, true, all, "op=read;readers=all" + bytes);
    }
  }
  for (const int count : {1, 2, 4, 8, 16, 33, 66, 132}) {
    for (const int step : {1, 2, 4, 8, 16}) {
      if (count * step <= sm_count()) {
        measure_read(report, data, 16 * kMiB, false, SmSet(every(step, count)),
                     "op=read;readers=one;mib=16;sms=" + std::to_string(count) + ";every=" + std::to_string(step));
      }
    }
  }
  // One GPC of an H200 (SM numbers from the order of CTA dispatch): what do its SMs get together?
  if (sm_count() == 132) {
    const std::vector<int> gpc = {14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119, 122, 123};
    for (const int count : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18}) {
      const SmSet set(std::vector<int>(gpc.begin(), gpc.begin() + count));
      measure_read(report, data, 16 * kMiB, false, set,
                   "op=read;readers=one;mib=16;sms=" + std::to_string(count) + ";of=one_gpc");
      measure_read(report, data, 16 * kMiB, true, set,
                   "op=read;readers=all;mib=16;sms=" + std::to_string(count) + ";of=one_gpc");
    }
  }
  const std::size_t count = 1024 * kMiB / sizeof(uint4);
  const double bytes = 1024.0 * kMiB;
  const unsigned grid = 16 * sm_count();
  report.scalar("bandwidth", "op=write;mib=1024", "rate",
                bytes / median_ms([&] { write<<<grid, 512>>>(data.device(), count); }) * 1e-6, "GB/s");
  report.scalar("bandwidth", "op=write;mib=16", "rate",
                bytes / 64 / median_ms([&] { write<<<grid, 512>>>(data.device(), count / 64); }) * 1e-6, "GB/s");
  report.scalar("bandwidth", "op=copy;mib=1024", "rate",
                2 * bytes / median_ms([&] { copy<<<grid, 512>>>(data.device(), other.device(), count); }) * 1e-6,
                "GB/s");
}

}  // namespace tilescope::gpu
