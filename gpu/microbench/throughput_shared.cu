// Cycles per shared-memory instruction of one SM, by width, warps and bank conflict.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32;

// As many independent accesses in a row as 64 registers a thread hold.
template <int kWidth>
constexpr int kUnroll = kWidth == 16 ? 8 : 16;

template <int kWidth, bool kStore>
__device__ void access(unsigned address, uint4& v) {
  if constexpr (kStore) {
    if constexpr (kWidth == 4) {
      asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(v.x) : "memory");
    } else if constexpr (kWidth == 8) {
      asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(v.x), "r"(v.y) : "memory");
    } else {
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y), "r"(v.z),
                   "r"(v.w)
                   : "memory");
    }
  } else if constexpr (kWidth == 4) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v.x) : "r"(address) : "memory");
  } else if constexpr (kWidth == 8) {
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(address) : "memory");
  } else {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
  }
}

template <int kWidth, bool kStore>
__global__ void __launch_bounds__(1024) stream(int ways, int sm, int* claims, int* cycles) {
  __shared__ alignas(16) unsigned words[32 * 32];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ Span span;
  begin_span(span);
  const int lane = threadIdx.x % 32;
  const int index = kWidth == 4 ? lane % (32 / ways) + lane / (32 / ways) * 32 : lane * kWidth / 4;
  const unsigned address = shared_address(&words[index]);
  uint4 value[kUnroll<kWidth>] = {};
  const unsigned start = clock_now();
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnroll<kWidth>; ++i) {
      access<kWidth, kStore>(address, value[i]);
    }
  }
  const unsigned stop = clock_now();
  end_span(span, start, stop, cycles);
}

template <int kWidth, bool kStore>
void measure(Report& report, int ways) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    Recorder<int> claims(1);
    Recorder<int> cycles(1);
    for (int pass = 0; pass < 2; ++pass) {
      claims.clear();
      stream<kWidth, kStore><<<4 * sm_count(), 32 * warps>>>(ways, 0, claims.device(), cycles.device());
      finish("stream");
    }
    report.scalar("throughput_shared",
                  std::string("op=") + (kStore ? "st" : "ld") + ";bits=" + std::to_string(8 * kWidth) +
                      ";ways=" + std::to_string(ways) + ";warps=" + std::to_string(warps),
                  "cycles_per_instruction", static_cast<double>(cycles.host()[0]) / (kRounds * kUnroll<kWidth> * warps),
                  "cycle");
  }
}

}  // namespace

void throughput_shared(Report& report) {
  for (const int ways : {1, 2, 4, 32}) {
    measure<4, false>(report, ways);
    measure<4, true>(report, ways);
  }
  measure<8, false>(report, 1);
  measure<8, true>(report, 1);
  measure<16, false>(report, 1);
  measure<16, true>(report, 1);
}

}  // namespace tilescope::gpu
