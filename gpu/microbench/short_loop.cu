// What does a taken branch cost? Cycles of a loop of `instructions` FFMAs, an addition, a comparison and the branch
// back, per turn. `warps` warps of one CTA go round; the turn is that of the first to begin and the last to end.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kTurns = 1024;
constexpr int kSums = 8;

template <int kCount>
__global__ void __launch_bounds__(1024) turn(int turns, int* cycles, float* sink) {
  __shared__ Span span;
  begin_span(span);
  float sum[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    sum[i] = static_cast<float>(threadIdx.x + i);
  }
  unsigned start = 0;
  unsigned stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first one brings the code
    __syncthreads();
    __syncthreads();
    start = clock_now();
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
#pragma unroll
      for (int k = 0; k < kCount; ++k) {
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(sum[k % kSums]));
      }
    }
    stop = clock_now();
  }
  float all = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    all += sum[i];
  }
  sink[threadIdx.x] = all;
  end_span(span, start, stop, cycles);
}

template <int kCount>
void ask(Report& report) {
  const Recorder<int> cycles(1);
  const Recorder<float> sink(1024);
  for (const int warps : {1, 4, 8, 16, 32}) {
    turn<kCount><<<1, warps * 32>>>(kTurns, cycles.device(), sink.device());
    finish("short_loop");
    report.scalar("short_loop", "instructions=" + std::to_string(kCount) + ";warps=" + std::to_string(warps), "turn",
                  static_cast<double>(cycles.host()[0]) / kTurns, "cycle");
  }
}

}  // namespace

void short_loop(Report& report) {
  ask<8>(report);
  ask<16>(report);
  ask<24>(report);
  ask<32>(report);
  ask<48>(report);
  ask<64>(report);
}

}  // namespace tilescope::gpu
