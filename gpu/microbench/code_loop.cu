// What does code cost that an SM has run before? Warps of one CTA run a loop of `instructions` FFMAs kTurns times.
// cycles: of a turn, the slowest warp's, the first turn left out; `subs` sub-partitions have `warps` warps each.
#include <algorithm>
#include <utility>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kTurns = 16;
constexpr int kSums = 8;

template <int kCount>
__global__ void __launch_bounds__(1024) loop(int subs, float a, float b, int turns, int* cycles, float* sink) {
  __shared__ Span span;
  begin_span(span);
  const bool busy = static_cast<int>(threadIdx.x / 32 % 4) < subs;
  float sum[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    sum[i] = a + static_cast<float>(i);
  }
  unsigned start = 0xffffffff, stop = 0;
#pragma unroll 1
  for (int turn = 0; busy && turn < turns; ++turn) {
    if (turn == 1) {
      start = clock_now();
    }
#pragma unroll
    for (int i = 0; i < kCount / kSums; ++i) {  // in one statement: compilers take long over as many statements
      asm volatile(
          "fma.rn.f32 %0, %0, %8, %9; fma.rn.f32 %1, %1, %8, %9; fma.rn.f32 %2, %2, %8, %9; fma.rn.f32 %3, %3, %8, %9;"
          "fma.rn.f32 %4, %4, %8, %9; fma.rn.f32 %5, %5, %8, %9; fma.rn.f32 %6, %6, %8, %9; fma.rn.f32 %7, %7, %8, %9;"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]),
            "+f"(sum[7])
          : "f"(a), "f"(b));
    }
  }
  stop = busy ? clock_now() : 0;
  float all = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    all += sum[i];
  }
  sink[threadIdx.x] = all;
  __syncthreads();
  end_span(span, start, stop, cycles);
}

template <int kCount>
void ask(Report& report) {
  Recorder<int> cycles(1);
  Recorder<float> sink(1024);
  for (const int subs : {1, 4}) {
    for (const int warps : {1, 2, 4}) {
      for (int pass = 0; pass < 2; ++pass) {
        loop<kCount><<<1, warps * 4 * 32>>>(subs, 1.0F, 0.5F, kTurns + 1, cycles.device(), sink.device());
        finish("loop");
      }
      report.scalar("code_loop",
                    "instructions=" + std::to_string(kCount) + ";subs=" + std::to_string(subs) +
                        ";warps=" + std::to_string(warps),
                    "cycles", static_cast<double>(cycles.host()[0]) / kTurns, "cycle");
    }
  }
}

template <int... kCounts>
void ask_all(Report& report, std::integer_sequence<int, kCounts...> /*counts*/) {
  (ask<kCounts>(report), ...);
}

}  // namespace

void code_loop(Report& report) {
  ask_all(report, std::integer_sequence<int, 32, 64, 96, 112, 128, 160, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
                                        4096, 6144, 8192, 12288, 16384>());
}

}  // namespace tilescope::gpu
