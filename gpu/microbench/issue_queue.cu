// How many memory instructions can be issued before the issuing stalls? The clock is read before each (or each
// kEvery-th) of a row of independent accesses. Trace rows: row = warp, index = access, value = cycles since the first.
//   space=shared: the ways of bank conflict set how fast the queue drains.
//   space=l1, l2, dram: likewise the lines per request; dram adds the misses in flight.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Space { kShared, kL1, kL2 };

// As many accesses as the registers of a CTA of this many threads hold.
template <int kThreads>
constexpr int kAccessesOf = kThreads <= 256   ? 64
                            : kThreads <= 512 ? 40
                                              : 20;
constexpr int kMostAccesses = 64;
constexpr int kPitch =
    33 * 32;  // words between a warp's global accesses: lines of their own, and an offset known when compiling

// `active` warps take part, every `step`-th warp of the CTA: step 4 keeps them on one sub-partition, 1 spreads them
// over all four.
template <Space kSpace, int kEvery, int kThreads>
__global__ void __launch_bounds__(kThreads) issue(const float* data, int ways_or_lines, int active, int step, bool warm,
                                                  int sm, int* claims, unsigned* clocks, float* sink) {
  constexpr int kAccesses = kAccessesOf<kThreads>;
  __shared__ unsigned words[32 * 32];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const bool takes_part = warp % step == 0 && warp / step < active;
  const int rank = warp / step;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    words[i] = 0;
  }
  const unsigned shared = shared_address(&words[lane % (32 / ways_or_lines) + lane / (32 / ways_or_lines) * 32]);
  const float* const lines =
      data + (kSpace == Space::kL1 ? 0 : rank * kAccesses * kPitch) + lane % ways_or_lines * 32 + lane;
  unsigned t[kAccesses / kEvery + 1];
  float value[kAccesses];
  if (warm && takes_part) {
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < kAccesses; ++i) {
      float v;
      if (kSpace == Space::kL1) {
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(lines + i * kPitch) : "memory");
      } else {
        asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(lines + i * kPitch) : "memory");
      }
      sum += v;
    }
    sink[threadIdx.x] = sum;
  }
  __syncthreads();
  if (!takes_part) {
    return;
  }
#pragma unroll
  for (int i = 0; i < kAccesses; ++i) {
    if (i % kEvery == 0) {
      t[i / kEvery] = clock_now();
    }
    if (kSpace == Space::kShared) {
      asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value[i]) : "r"(shared) : "memory");
    } else if (kSpace == Space::kL1) {
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value[i]) : "l"(lines + i * kPitch) : "memory");
    } else {
      asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value[i]) : "l"(lines + i * kPitch) : "memory");
    }
  }
  t[kAccesses / kEvery] = clock_now();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kAccesses; ++i) {
    sum += value[i];
  }
  sink[threadIdx.x] = sum;
  if (lane == 0) {
#pragma unroll
    for (int i = 0; i <= kAccesses / kEvery; ++i) {
      clocks[rank * (kMostAccesses + 1) + i] = t[i];
    }
  }
}

template <Space kSpace, int kEvery, int kThreads>
void measure_with(Report& report, const Recorder<float>& data, const char* name, int ways_or_lines, int active,
                  int step, bool warm) {
  constexpr int kAccesses = kAccessesOf<kThreads>;
  Recorder<int> claims(1);
  Recorder<unsigned> clocks(32 * (kMostAccesses + 1));
  Recorder<float> sink(1024);
  for (int pass = 0; pass < 2; ++pass) {
    if (!warm) {
      flush_l2();
    }
    claims.clear();
    issue<kSpace, kEvery, kThreads><<<4 * sm_count(), kThreads>>>(data.device(), ways_or_lines, active, step, warm, 0,
                                                                  claims.device(), clocks.device(), sink.device());
    finish("issue");
  }
  const std::vector<unsigned> seen = clocks.host();
  unsigned first = seen[0];
  for (int warp = 0; warp < active; ++warp) {
    first = std::min(first, seen[warp * (kMostAccesses + 1)]);
  }
  const std::string the_case = std::string("space=") + name + (kSpace == Space::kShared ? ";ways=" : ";lines=") +
                               std::to_string(ways_or_lines) + ";warps=" + std::to_string(active) +
                               ";every=" + std::to_string(step) + ";clock_every=" + std::to_string(kEvery);
  for (int warp = 0; warp < active; ++warp) {
    for (int i = 0; i <= kAccesses / kEvery; ++i) {
      report.trace("issue_queue", the_case, warp, i * kEvery, seen[warp * (kMostAccesses + 1) + i] - first);
    }
  }
}

template <Space kSpace, int kEvery>
void measure(Report& report, const Recorder<float>& data, const char* name, int ways_or_lines, int active, int step,
             bool warm) {
  const int threads = 32 * active * step;
  const auto run = threads <= 256   ? measure_with<kSpace, kEvery, 256>
                   : threads <= 512 ? measure_with<kSpace, kEvery, 512>
                                    : measure_with<kSpace, kEvery, 1024>;
  run(report, data, name, ways_or_lines, active, step, warm);
}

}  // namespace

void issue_queue(Report& report) {
  const Recorder<float> data(static_cast<std::size_t>(32) * kMostAccesses * kPitch + 4096);
  for (const int ways : {1, 2, 8, 32}) {
    for (const int warps : {1, 2, 4, 8}) {
      measure<Space::kShared, 1>(report, data, "shared", ways, warps, 4, false);
      measure<Space::kShared, 4>(report, data, "shared", ways, warps, 4, false);
    }
    for (const int step : {1, 2, 3}) {  // two warps on sub-partitions 0 and `step`
      measure<Space::kShared, 1>(report, data, "shared", ways, 2, step, false);
    }
    for (const int warps : {4, 8, 16, 32}) {
      measure<Space::kShared, 1>(report, data, "shared", ways, warps, 1, false);
    }
  }
  for (const int lines : {1, 4, 8, 16}) {
    for (const int warps : {1, 4, 8, 16, 32}) {
      measure<Space::kL1, 1>(report, data, "l1", lines, warps, 1, true);
      measure<Space::kL2, 1>(report, data, "l2", lines, warps, 1, true);
      measure<Space::kL2, 1>(report, data, "dram", lines, warps, 1, false);
    }
    measure<Space::kL1, 1>(report, data, "l1", lines, 4, 4, true);
    measure<Space::kL2, 1>(report, data, "l2", lines, 4, 4, true);
  }
}

}  // namespace tilescope::gpu
