// What instructions of different pipes cost the dispatch port of a sub-partition together: loops of loads that hit L1
// or shared memory and of arithmetic, mixed evenly, by 16 warps of each sub-partition.
//   per_iteration: cycles of a sub-partition for one iteration of one warp.
// An iteration has `loads` LDG (global) or LDS (shared), `ffma` FFMA, of which as many as loads take what was loaded
// at its end, `alu` VIMNMX, and up to six instructions that move the address and close the loop.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kCtas = 2;
constexpr int kWarps = 64;
constexpr int kSubPartitions = 4;
constexpr int kMost = 8;  // registers of each kind

enum class Space { kGlobal, kShared };

template <Space kSpace, int kLoads, int kFfma, int kAlu>
__global__ void __launch_bounds__(1024, kCtas)
    probe_mix(const float* data, int zero, int sm, int* claims, unsigned* clocks, float* sink) {
  constexpr int kMixed = kFfma - kLoads;
  constexpr int kAll = kLoads + kMixed + kAlu;
  __shared__ float words[2048];
  const int rank = claim_sm(sm, kCtas, claims);
  if (rank < 0) {
    return;
  }
  const int lane = threadIdx.x % 32;
  words[threadIdx.x] = words[threadIdx.x + 1024] = static_cast<float>(lane);
  const float* from = data + lane;
  unsigned shared = shared_address(words) + lane * 4;
  const float x = static_cast<float>(lane * (zero + 3));
  float f[kMost], v[kLoads + 1];
  int a[4], y[4];
  for (int i = 0; i < kMost; ++i) {
    f[i] = x + i;
  }
  for (int i = 0; i < 4; ++i) {
    a[i] = lane + i;
    y[i] = lane * (zero + i);
  }
  __syncthreads();
  const unsigned start = clock_now();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kAll; ++i) {
      // Each kind's next one comes when its part of i is full.
      if ((i + 1) * kLoads / kAll > i * kLoads / kAll) {
        const int n = i * kLoads / kAll;
        if constexpr (kSpace == Space::kGlobal) {
          asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[n]) : "l"(from + 32 * n) : "memory");
        } else {
          asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[n]) : "r"(shared + 128 * n) : "memory");
        }
      }
      if ((i + 1) * kMixed / kAll > i * kMixed / kAll) {
        float& one = f[i * kMixed / kAll % kMost];
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(one) : "f"(x));
      }
      if ((i + 1) * kAlu / kAll > i * kAlu / kAll) {
        const int n = i * kAlu / kAll;
        if (n / 4 % 2 == 0) {
          asm volatile("max.s32 %0, %0, %1;" : "+r"(a[n % 4]) : "r"(y[(n + n / 8) % 4]));
        } else {
          asm volatile("min.s32 %0, %0, %1;" : "+r"(a[n % 4]) : "r"(y[(n + n / 8) % 4]));
        }
      }
    }
#pragma unroll
    for (int n = 0; n < kLoads; ++n) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f[n % kMost]) : "f"(x), "f"(v[n]));
    }
    from += zero;
    shared += zero;
  }
  const unsigned stop = clock_now();
  float sum = 0;
  for (int i = 0; i < kMost; ++i) {
    sum += f[i] + static_cast<float>(a[i % 4]);
  }
  sink[rank * 1024 + threadIdx.x] = sum;
  if (lane == 0) {
    const int warp = (rank * 1024 + threadIdx.x) / 32;
    clocks[2 * warp] = start;
    clocks[2 * warp + 1] = stop;
  }
}

template <Space kSpace, int kLoads, int kFfma, int kAlu>
void measure(Report& report, const Recorder<float>& data) {
  Recorder<int> claims(1);
  Recorder<unsigned> clocks(2 * kWarps);
  const Recorder<float> sink(1024 * kCtas);
  unsigned least = ~0U;
  for (int repeat = 0; repeat < 4; ++repeat) {
    claims.clear();
    probe_mix<kSpace, kLoads, kFfma, kAlu>
        <<<2 * kCtas * sm_count(), 1024>>>(data.device(), 0, 0, claims.device(), clocks.device(), sink.device());
    finish("dispatch_mix");
    const std::vector<unsigned> seen = clocks.host();
    unsigned first = ~0U, last = 0;
    for (int warp = 0; warp < kWarps; ++warp) {
      first = std::min(first, seen[2 * warp]);
      last = std::max(last, seen[2 * warp + 1]);
    }
    least = std::min(least, last - first);
  }
  report.scalar("dispatch_mix",
                std::string("space=") + (kSpace == Space::kGlobal ? "global" : "shared") + ";loads=" +
                    std::to_string(kLoads) + ";ffma=" + std::to_string(kFfma) + ";alu=" + std::to_string(kAlu),
                "per_iteration", static_cast<double>(least) * kSubPartitions / (kRounds * kWarps), "cycle");
}

template <Space kSpace>
void measure_all(Report& report, const Recorder<float>& data) {
  measure<kSpace, 8, 8, 0>(report, data);
  measure<kSpace, 8, 16, 0>(report, data);
  measure<kSpace, 8, 24, 0>(report, data);
  measure<kSpace, 8, 32, 0>(report, data);
  measure<kSpace, 8, 64, 0>(report, data);
  measure<kSpace, 4, 32, 0>(report, data);
  measure<kSpace, 4, 64, 0>(report, data);
  measure<kSpace, 8, 8, 16>(report, data);
  measure<kSpace, 8, 16, 16>(report, data);
  measure<kSpace, 8, 24, 16>(report, data);
  measure<kSpace, 8, 32, 16>(report, data);
  measure<kSpace, 4, 16, 16>(report, data);
}

}  // namespace

void dispatch_mix(Report& report) {
  const Recorder<float> data(4096);
  measure<Space::kShared, 0, 32, 0>(report, data);
  measure<Space::kShared, 0, 64, 0>(report, data);
  measure<Space::kShared, 0, 0, 16>(report, data);
  measure<Space::kShared, 0, 16, 16>(report, data);
  measure<Space::kShared, 0, 32, 16>(report, data);
  measure_all<Space::kGlobal>(report, data);
  measure_all<Space::kShared>(report, data);
}

}  // namespace tilescope::gpu
