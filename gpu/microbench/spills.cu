// What spilling costs: steps of stores to local memory and loads that hit in L1, of 32 warps on one SM or on each.
//   per_step: cycles of an SM by all steps of its warps.
// stores: STL of a step; own: LDL of what the step has stored; kept: LDL of what was stored before; last=1: those of
// `own` say that it is their last use. space=global: STG and LDG of lines of the warp's own instead. sms: that run.
// The assembler drops local stores that nobody loads, and hands on in registers what a step of two stores loads itself:
// stores=4;own=0;kept=0 and stores=2;own=2;kept=2 measure no memory. stores=8;own=0;kept=0 stays.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 512;
constexpr int kWarps = 32;
constexpr int kWords = 16;  // of a lane
constexpr int kKept = 8;    // the first word that a step does not store

template <int kStores, int kOwn, int kKeptLoads, bool kLast, bool kGlobal>
__global__ void __launch_bounds__(kWarps * 32) spill(unsigned* lines, int* cycles, unsigned* sink) {
  __shared__ Span span;
  unsigned local[kWords];
  const std::uint64_t own = __cvta_generic_to_local(local);
  unsigned* const global = lines + (blockIdx.x * kWarps + threadIdx.x / 32) * kWords * 32 + threadIdx.x % 32;
  for (int i = 0; i < kWords; ++i) {
    asm volatile("st.local.u32 [%0], %1;" ::"l"(own + 4 * i), "r"(i) : "memory");
    global[i * 32] = i;
  }
  unsigned sum = 0;
  begin_span(span);
  const unsigned start = clock_now(threadIdx.x);
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < kStores; ++i) {
      if constexpr (kGlobal)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(global + i * 32), "r"(step) : "memory");
      else
        asm volatile("st.local.u32 [%0], %1;" ::"l"(own + 4 * i), "r"(step) : "memory");
    }
    unsigned v[kOwn + kKeptLoads + 1] = {};
#pragma unroll
    for (int i = 0; i < kOwn + kKeptLoads; ++i) {
      const int word = i < kOwn ? i : kKept + i - kOwn;
      if constexpr (kGlobal)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(global + word * 32) : "memory");
      else if (kLast && i < kOwn)
        asm volatile("ld.local.lu.u32 %0, [%1];" : "=r"(v[i]) : "l"(own + 4 * word) : "memory");
      else
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(v[i]) : "l"(own + 4 * word) : "memory");
    }
#pragma unroll
    for (int i = 0; i < kOwn + kKeptLoads; ++i) {
      sum ^= v[i];
    }
  }
  const unsigned stop = clock_now(threadIdx.x);
  if (sum == 0x12345U) {
    *sink = sum;
  }
  end_span(span, start, stop, cycles + blockIdx.x);
}

template <int kStores, int kOwn, int kKeptLoads, bool kLast, bool kGlobal>
void measure(Report& report) {
  const auto kernel = &spill<kStores, kOwn, kKeptLoads, kLast, kGlobal>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const Recorder<unsigned> lines(static_cast<std::size_t>(sm_count()) * kWarps * kWords * 32);
  const Recorder<unsigned> sink(1);
  const Recorder<int> cycles(static_cast<std::size_t>(sm_count()));
  for (const int sms : {1, 16, sm_count()}) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      kernel<<<sms, kWarps * 32, kOneCtaPerSm>>>(lines.device(), cycles.device(), sink.device());
      finish("spills");
    }
    const std::vector<int> all = cycles.host();
    double sum = 0;
    for (int i = 0; i < sms; ++i) {
      sum += all[static_cast<std::size_t>(i)];
    }
    report.scalar("spills",
                  "stores=" + std::to_string(kStores) + ";own=" + std::to_string(kOwn) +
                      ";kept=" + std::to_string(kKeptLoads) + ";last=" + std::to_string(kLast) +
                      ";space=" + (kGlobal ? "global" : "local") + ";sms=" + std::to_string(sms),
                  "per_step", sum / sms / kSteps / kWarps, "cycle");
  }
}

}  // namespace

void spills(Report& report) {
  measure<4, 0, 0, false, false>(report);
  measure<4, 4, 0, false, false>(report);
  measure<4, 4, 0, true, false>(report);
  measure<4, 0, 4, false, false>(report);
  measure<4, 0, 8, false, false>(report);
  measure<4, 4, 4, false, false>(report);
  measure<4, 4, 4, true, false>(report);
  measure<0, 0, 8, false, false>(report);
  measure<2, 0, 8, false, false>(report);
  measure<1, 0, 8, false, false>(report);
  measure<2, 2, 2, false, false>(report);
  measure<8, 0, 0, false, false>(report);
  measure<4, 0, 0, false, true>(report);
  measure<4, 0, 4, false, true>(report);
  measure<4, 4, 0, false, true>(report);
  measure<1, 0, 8, false, true>(report);
  measure<8, 0, 0, false, true>(report);
}

}  // namespace tilescope::gpu
