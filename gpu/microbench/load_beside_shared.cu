// How long a load that L2 has takes while other warps of its SM keep the data stage busy with loads from shared memory:
// does it wait for a turn, or for all that shared memory has accepted?
//   latency: of one load at a time, mean of 200; cycle.
//   rate: cycles from one wavefront of the others' loads from shared memory to the next, all together. Besides, each
//   reads a flag, one wavefront, once in eight loads.
// warps: the others, round robin over the sub-partitions, the loading warp being the first; ways: wavefronts of each of
// their loads; lines: of the load. warps=0: the load alone.
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLoads = 200;
constexpr int kLineWords = 32;  // of 4 bytes
constexpr int kLanes = 32;
constexpr int kAtOnce = 8;  // loads from shared memory before a warp waits
constexpr int kSets = 64;   // of lines, one for each load in turn
constexpr int kMostLines = 4;
constexpr int kSharedWords = kLanes * kLanes;

__global__ void __launch_bounds__(1024)
    probe_load_beside_shared(const unsigned* data, int lines, int ways, unsigned* latency, unsigned* shared_cycles) {
  __shared__ unsigned words[kSharedWords];
  __shared__ volatile int loaded;
  for (int i = threadIdx.x; i < kSharedWords; i += blockDim.x) {
    words[i] = 0;
  }
  if (threadIdx.x == 0) {
    loaded = 0;
  }
  __syncthreads();
  const int lane = threadIdx.x % kLanes;
  unsigned seen = 0;
  if (threadIdx.x < kLanes) {
    unsigned sum = 0;
    for (int i = 0; i < kLoads + 1; ++i) {
      const unsigned* const from = data + (i % kSets * kMostLines + lane % lines) * kLineWords;
      const unsigned start = clock_now(seen | 1U);
      unsigned v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
      seen |= v;
      sum += i == 0 ? 0 : clock_now(seen | 1U) - start;
    }
    if (lane == 0) {
      *latency = sum;
      loaded = 1;
    }
  } else {
    // Lane i reads word i * ways, modulo the array: `ways` words of each bank that is read.
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&words[lane * ways % kSharedWords]));
    const unsigned start = clock_now(lane);
    int done = 0;
    do {
      unsigned v[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(address) : "memory");
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        seen |= v[i];
      }
      ++done;
    } while (loaded == 0);
    if (lane == 0) {
      shared_cycles[2 * (threadIdx.x / kLanes)] = clock_now(seen | 1U) - start;
      shared_cycles[2 * (threadIdx.x / kLanes) + 1] = static_cast<unsigned>(done);
    }
  }
  if (seen == 0x12345678U) {
    *latency = 0;
  }
}

void measure(Report& report, const unsigned* data, int warps, int ways, int lines) {
  const Recorder<unsigned> latency(1);
  const Recorder<unsigned> shared_cycles(2 * (kLanes + 1));
  probe_load_beside_shared<<<1, (warps + 1) * kLanes>>>(data, lines, ways, latency.device(), shared_cycles.device());
  finish("probe_load_beside_shared");
  const std::string name =
      "warps=" + std::to_string(warps) + ";ways=" + std::to_string(ways) + ";lines=" + std::to_string(lines);
  report.scalar("load_beside_shared", name, "latency", static_cast<double>(latency.host()[0]) / kLoads, "cycle");
  if (warps == 0) {
    return;
  }
  double rate = 0;
  const std::vector<unsigned> each = shared_cycles.host();
  for (int warp = 1; warp <= warps; ++warp) {
    rate += static_cast<double>(each[2 * warp + 1]) * kAtOnce * ways / each[2 * warp];
  }
  report.scalar("load_beside_shared", name, "rate", 1 / rate, "cycle");
}

}  // namespace

void load_beside_shared(Report& report) {
  const DeviceBuffer<unsigned> data(kSets * kMostLines * kLineWords);
  check(cudaMemset(data.data(), 0, data.bytes()), "cudaMemset");
  for (const int lines : {1, kMostLines}) {
    measure(report, data.data(), 0, 1, lines);
    measure(report, data.data(), 0, 1, lines);  // the first has brought the lines
    for (const int warps : {3, 7, 15, 31}) {
      for (const int ways : {1, 2, 4, 8, 32}) {
        measure(report, data.data(), warps, ways, lines);
      }
    }
  }
}

}  // namespace tilescope::gpu
