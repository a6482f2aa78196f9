// Which instructions share a pipe? Cycles of a sub-partition for one instruction `of` and `beside_count` of another
// kind behind it, again and again, two warps on each sub-partition.
//   high: IMAD.HI; halves: HFMA2 and HFMA2.MMA, of which the assembler takes turns.
// Instructions depend on none of the last seven of their kind. cuobjdump -sass shows what the assembler has made.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kTogether = 64;  // instructions in a round
constexpr int kChains = 8;
constexpr int kWarps = 8;
constexpr int kSubPartitions = 4;

enum class Of { kNone, kFfma, kImad, kHigh, kLop3, kHalves, kDfma };
constexpr const char* kNames[] = {"none", "ffma", "imad", "high", "lop3", "halves", "dfma"};

struct Registers {
  float f[kChains];
  int n[kChains];
  unsigned h[kChains];
  double d[kChains];
};

template <Of kOf>
__device__ void one(Registers& r, int k, int x) {
  if constexpr (kOf == Of::kFfma) {
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(r.f[k]));
  } else if constexpr (kOf == Of::kImad) {
    asm volatile("mad.lo.s32 %0, %0, %1, %0;" : "+r"(r.n[k]) : "r"(x));
  } else if constexpr (kOf == Of::kHigh) {
    asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(r.n[k]) : "r"(x));
  } else if constexpr (kOf == Of::kLop3) {
    asm volatile("lop3.b32 %0, %0, %1, 12, 0x96;" : "+r"(r.n[k]) : "r"(x));
  } else if constexpr (kOf == Of::kHalves) {
    asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(r.h[k]));
  } else if constexpr (kOf == Of::kDfma) {
    asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(r.d[k]));
  }
}

template <Of kOf, Of kBeside, int kBesideCount>
__global__ void __launch_bounds__(32 * kWarps) pairs(int rounds, int x, int* cycles, float* sink) {
  constexpr int kPeriod = 1 + kBesideCount;
  __shared__ Span span;
  begin_span(span);
  Registers r;
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    const int seed = static_cast<int>(threadIdx.x) * x + i;
    r.f[i] = static_cast<float>(seed);
    r.n[i] = seed;
    r.h[i] = static_cast<unsigned>(seed);
    r.d[i] = seed;
  }
  const int own = static_cast<int>(threadIdx.x) * x;
  unsigned start = 0;
  unsigned stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    __syncthreads();
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int i = 0; i < kTogether / kPeriod * kPeriod; ++i) {
        if (i % kPeriod == 0) {
          one<kOf>(r, i / kPeriod % kChains, own);
        } else {
          one<kBeside>(r, i % kChains, own);
        }
      }
    }
    stop = clock_now();
  }
  float all = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    all += r.f[i] + static_cast<float>(r.n[i]) + static_cast<float>(r.h[i]) + static_cast<float>(r.d[i]);
  }
  sink[threadIdx.x] = all;
  end_span(span, start, stop, cycles);
}

template <Of kOf, Of kBeside, int kBesideCount>
void measure(Report& report) {
  const Recorder<int> cycles(1);
  const Recorder<float> sink(32 * kWarps);
  pairs<kOf, kBeside, kBesideCount><<<1, 32 * kWarps>>>(kRounds, 1, cycles.device(), sink.device());
  finish("pipe_pairs");
  constexpr int kPeriods = kTogether / (1 + kBesideCount) * kRounds;
  report.scalar("pipe_pairs",
                std::string("of=") + kNames[static_cast<int>(kOf)] + ";beside=" + kNames[static_cast<int>(kBeside)] +
                    ";beside_count=" + std::to_string(kBesideCount),
                "period", static_cast<double>(cycles.host()[0]) * kSubPartitions / (kPeriods * kWarps), "cycle");
}

template <Of kOf>
void measure_of(Report& report) {
  measure<kOf, Of::kNone, 0>(report);
  measure<kOf, Of::kFfma, 1>(report);
  measure<kOf, Of::kFfma, 3>(report);
  measure<kOf, Of::kImad, 1>(report);
  measure<kOf, Of::kImad, 3>(report);
  measure<kOf, Of::kLop3, 1>(report);
  measure<kOf, Of::kLop3, 3>(report);
  measure<kOf, Of::kDfma, 1>(report);
  measure<kOf, Of::kHalves, 3>(report);
}

}  // namespace

void pipe_pairs(Report& report) {
  measure_of<Of::kFfma>(report);
  measure_of<Of::kImad>(report);
  measure_of<Of::kHigh>(report);
  measure_of<Of::kLop3>(report);
  measure_of<Of::kHalves>(report);
  measure_of<Of::kDfma>(report);
}

}  // namespace tilescope::gpu
