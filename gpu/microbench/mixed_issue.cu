// Cycles of one SM for a load together with f independent FFMAs: do loads and arithmetic overlap, or does one hold up
// the other?
#include <type_traits>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kGroups = 8;  // of a load and its FFMAs, per round

struct Lds32 {
  static constexpr const char* kName = "lds32";
  __device__ static void load(unsigned shared, float4& v) {
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v.x) : "r"(shared) : "memory");
  }
};
struct Lds128 {
  static constexpr const char* kName = "lds128";
  __device__ static void load(unsigned shared, float4& v) {
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(shared)
                 : "memory");
  }
};
struct Lds128Broadcast : Lds128 {
  static constexpr const char* kName = "lds128_broadcast";
};
template <class Load, int kFmas>
__global__ void __launch_bounds__(1024) stream(int sm, int* claims, int* cycles, float* sink) {
  __shared__ alignas(16) float words[1024];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ Span span;
  words[threadIdx.x] = 0;
  begin_span(span);
  const int lane = threadIdx.x % 32;
  const int index = std::is_same_v<Load, Lds128> ? lane * 4 : std::is_same_v<Load, Lds128Broadcast> ? 0 : lane;
  const unsigned shared = shared_address(&words[index]);
  float4 value[kGroups] = {};
  float sum[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float x = static_cast<float>(lane);
  const float y = static_cast<float>(sm);
  const unsigned start = clock_now();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      Load::load(shared, value[g]);
#pragma unroll
      for (int f = 0; f < kFmas; ++f) {
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum[(g * kFmas + f) % 8]) : "f"(x), "f"(y));
      }
    }
  }
  const unsigned stop = clock_now();
  float total = 0;
  for (int i = 0; i < 8; ++i) {
    total += sum[i] + value[i].x;
  }
  if (total == 0.123F) {
    *sink = total;
  }
  end_span(span, start, stop, cycles);
}

template <class Load, int kFmas>
void measure(Report& report) {
  for (const int warps : {4, 8, 16, 32}) {
    Recorder<int> claims(1);
    Recorder<int> cycles(1);
    const Recorder<float> sink(1);
    for (int repeat = 0; repeat < 2; ++repeat) {
      claims.clear();
      stream<Load, kFmas><<<4 * sm_count(), warps * 32>>>(0, claims.device(), cycles.device(), sink.device());
      finish("mixed_issue");
    }
    const std::string the_case =
        std::string("load=") + Load::kName + ";ffma=" + std::to_string(kFmas) + ";warps=" + std::to_string(warps);
    report.scalar("mixed_issue", the_case, "per_group",
                  static_cast<double>(cycles.host()[0]) / (kRounds * kGroups * warps), "cycle");
  }
}

template <class Load>
void measure_all(Report& report) {
  measure<Load, 0>(report);
  measure<Load, 1>(report);
  measure<Load, 2>(report);
  measure<Load, 4>(report);
  measure<Load, 8>(report);
  measure<Load, 16>(report);
}

}  // namespace

void mixed_issue(Report& report) {
  measure_all<Lds32>(report);
  measure_all<Lds128>(report);
  measure_all<Lds128Broadcast>(report);
}

}  // namespace tilescope::gpu
