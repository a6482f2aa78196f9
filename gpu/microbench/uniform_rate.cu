// How fast does the uniform datapath of a sub-partition work, and what else uses it? Cycles of a sub-partition per loop
// iteration of a warp, of loops of `uniform` multiply-adds in uniform registers and `others` instructions of another
// kind:
//   beside=ffma, imad: their operands are vector registers
//   beside=ffma_ur, imad_ur: one operand of each is a uniform register
// An iteration has up to four instructions that close the loop, one of them in uniform registers. ptxas decides what is
// made in uniform registers: cuobjdump -sass shows it.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kSubPartitions = 4;
constexpr int kChains = 8;

enum class Beside : std::uint8_t { kFfma, kFfmaUr, kImad, kImadUr };
constexpr const char* kBesideNames[] = {"ffma", "ffma_ur", "imad", "imad_ur"};

template <int kUniform, int kOthers, Beside kBeside>
__global__ void __launch_bounds__(1024) mix(int one, int* cycles, float* sink) {
  __shared__ Span span;
  begin_span(span);
  int u[kChains], n[kChains];
  float f[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    u[i] = one * i;  // the same in all threads: a uniform register
    n[i] = static_cast<int>(threadIdx.x) + i;
    f[i] = static_cast<float>(n[i]);
  }
  const int same = one * 3 + 1;
  const int own = static_cast<int>(threadIdx.x) * one;
  unsigned start = 0;
  unsigned stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    __syncthreads();  // a warp reads the clock while it waits for the one before it
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
      constexpr int kAll = kUniform + kOthers;
#pragma unroll
      for (int i = 0; i < kAll; ++i) {
        if ((i + 1) * kUniform / kAll > i * kUniform / kAll) {
          int& mine = u[i * kUniform / kAll % kChains];
          asm volatile("mad.lo.s32 %0, %1, %1, %0;" : "+r"(mine) : "r"(u[(i * kUniform / kAll + 3) % kChains]));
        }
        if ((i + 1) * kOthers / kAll > i * kOthers / kAll) {
          const int k = i * kOthers / kAll % kChains;
          const float x = __int_as_float(kBeside == Beside::kFfmaUr ? same : own);
          if constexpr (kBeside == Beside::kFfma || kBeside == Beside::kFfmaUr) {
            asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(f[k]) : "f"(x));
          } else {
            asm volatile("mad.lo.s32 %0, %0, %1, %0;" : "+r"(n[k]) : "r"(kBeside == Beside::kImadUr ? same : own));
          }
        }
      }
    }
    stop = clock_now();
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) {
    total += f[i] + static_cast<float>(n[i]) + static_cast<float>(u[i]);
  }
  sink[threadIdx.x] = total;
  end_span(span, start, stop, cycles);
}

template <int kUniform, int kOthers, Beside kBeside>
void measure(Report& report) {
  const Recorder<int> cycles(1);
  const Recorder<float> sink(1024);
  for (const int warps : {8, 16, 32}) {
    mix<kUniform, kOthers, kBeside><<<1, warps * 32>>>(1, cycles.device(), sink.device());
    finish("uniform_rate");
    report.scalar("uniform_rate",
                  "uniform=" + std::to_string(kUniform) + ";beside=" + kBesideNames[static_cast<int>(kBeside)] +
                      ";others=" + std::to_string(kOthers) + ";warps=" + std::to_string(warps),
                  "per_iteration",
                  static_cast<double>(cycles.host()[0]) * kSubPartitions / (kRounds * static_cast<double>(warps)),
                  "cycle");
  }
}

template <Beside kBeside>
void measure_beside(Report& report) {
  measure<0, 32, kBeside>(report);
  measure<16, 8, kBeside>(report);
  measure<16, 16, kBeside>(report);
  measure<16, 32, kBeside>(report);
}

}  // namespace

void uniform_rate(Report& report) {
  measure<8, 0, Beside::kFfma>(report);
  measure<16, 0, Beside::kFfma>(report);
  measure<32, 0, Beside::kFfma>(report);
  measure_beside<Beside::kFfma>(report);
  measure_beside<Beside::kFfmaUr>(report);
  measure_beside<Beside::kImad>(report);
  measure_beside<Beside::kImadUr>(report);
}

}  // namespace tilescope::gpu
