// How many loads an SM holds between their issue and their turn at the data stage: warps issue loads that take `passes`
// each, more than the stage can serve, and read the clock before the last.
//   in_flight: loads issued by then less those that the stage has served, of all warps that take part.
// space: shared, or global with every line in L1. subs: sub-partitions that take part; warps: on each.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLoads =
    33;  // of a warp, the last of which is none: none reads what another does, or it would be dropped
constexpr int kBankWords = 32;

template <bool kGlobal>
__global__ void __launch_bounds__(1024)
    depth(const float* data, int passes, int subs, int warps, int sm, int* claims, unsigned* clocks, float* sink) {
  __shared__ float words[kBankWords * kBankWords];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < kBankWords * kBankWords; i += blockDim.x) {
    words[i] = 0;
  }
  const float* const from = data + lane % passes * kBankWords;  // one bank
  const unsigned shared = shared_address(&words[lane % passes * kBankWords]);
  float warm;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(warm) : "l"(from) : "memory");
  __syncthreads();
  if (warp % 4 >= subs || warp / 4 >= warps) {
    return;
  }
  float value[kLoads];
  const unsigned start = clock_now();
#pragma unroll
  for (int i = 0; i < kLoads - 1; ++i) {
    if constexpr (kGlobal) {
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value[i]) : "l"(from + i) : "memory");
    } else {
      asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value[i]) : "r"(shared) : "memory");
    }
  }
  const unsigned issued = clock_now();
  float sum = warm;
#pragma unroll
  for (int i = 0; i < kLoads - 1; ++i) {
    sum += value[i];
  }
  const unsigned stop = clock_now();
  sink[threadIdx.x] = sum;
  if (lane == 0) {
    clocks[3 * warp] = start;
    clocks[3 * warp + 1] = issued;
    clocks[3 * warp + 2] = stop;
  }
}

template <bool kGlobal>
void measure(Report& report, const Recorder<float>& data, int passes, int subs, int warps) {
  Recorder<int> claims(1);
  Recorder<unsigned> clocks(3 * 32);
  const Recorder<float> sink(1024);
  for (int repeat = 0; repeat < 2; ++repeat) {
    claims.clear();
    depth<kGlobal><<<4 * sm_count(), 128 * warps>>>(data.device(), passes, subs, warps, 0, claims.device(),
                                                    clocks.device(), sink.device());
    finish("load_depth");
  }
  const std::vector<unsigned> seen = clocks.host();
  unsigned first = ~0U, issued = 0, stop = 0;
  for (int warp = 0; warp < 4 * warps; ++warp) {
    if (warp % 4 < subs) {
      first = std::min(first, seen[3 * warp]);
      issued = std::max(issued, seen[3 * warp + 1]);
      stop = std::max(stop, seen[3 * warp + 2]);
    }
  }
  const double loads = static_cast<double>(kLoads - 1) * subs * warps;
  const double per_load = static_cast<double>(stop - first) / loads;
  const std::string the_case = std::string("space=") + (kGlobal ? "l1" : "shared") +
                               ";passes=" + std::to_string(passes) + ";subs=" + std::to_string(subs) +
                               ";warps=" + std::to_string(warps);
  report.scalar("load_depth", the_case, "in_flight", (stop - issued) / per_load, "load");
  report.scalar("load_depth", the_case, "cycles_per_load", per_load, "cycle");
}

}  // namespace

void load_depth(Report& report) {
  const Recorder<float> data(static_cast<std::size_t>(kBankWords) * kBankWords);
  for (const int passes : {1, 2, 4, 16}) {
    for (const int subs : {1, 2, 4}) {
      for (const int warps : {1, 2, 4, 8}) {
        measure<false>(report, data, passes, subs, warps);
        measure<true>(report, data, passes, subs, warps);
      }
    }
  }
}

}  // namespace tilescope::gpu
