// How often does an SM load constants (LDC) at addresses that the code names? A CTA with an SM to itself; `warps` warps
// on each of `subs` sub-partitions load words of a __constant__ array under a predicate, 128 each and 16 under way,
// without a branch, alone or each beside a load that hits L1 (LDG) or of shared memory (LDS). cycles: of the CTA, per
// constant of one sub-partition.
#include <string>
#include <type_traits>
#include <utility>

#include "benchmarks.h"
#include "device_probe.cuh"

// Named as the assembly below says.
extern "C" {
__constant__ unsigned table[64];
}

namespace tilescope::gpu {
namespace {

constexpr int kUnderWay = 16, kRounds = 8, kOps = kUnderWay * kRounds;

enum class Beside { nothing, global, shared };

struct Ask {
  int* cycles;
  const unsigned* hot;  // of as many lines as loads are under way
  int subs;
  unsigned on;
};

// Loads `kWords` words; the compiler makes an operand of what no assembly asks for.
template <int kWords, int kAt>
__device__ void load_constant(unsigned& value, unsigned on) {
  if constexpr (kWords == 1) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.const.u32 %0, [table + %2];}"
                 : "+r"(value)
                 : "r"(on), "n"(kAt * 4));
  } else if constexpr (kWords == 2) {
    asm volatile("{.reg .pred p; .reg .u32 b; setp.ne.u32 p, %1, 0; @p ld.const.v2.u32 {%0, b}, [table + %2];}"
                 : "+r"(value)
                 : "r"(on), "n"(kAt * 8));
  } else {
    asm volatile(
        "{.reg .pred p; .reg .u32 b, c, d; setp.ne.u32 p, %1, 0; @p ld.const.v4.u32 {%0, b, c, d}, [table + %2];}"
        : "+r"(value)
        : "r"(on), "n"(kAt * 16));
  }
}

template <int kWords, Beside kBeside, std::size_t... kAt>
__device__ unsigned load_all(const Ask& ask, const unsigned* own, unsigned lane, std::index_sequence<kAt...>) {
  unsigned value[kUnderWay] = {}, other[kUnderWay] = {}, sum = 0;
  const auto load = [&](auto at) {
    constexpr int kPlace = decltype(at)::value;
    load_constant<kWords, kPlace>(value[kPlace], ask.on);
    if constexpr (kBeside == Beside::global) {
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(other[kPlace]) : "l"(ask.hot + kPlace * 32 + lane));
    } else if constexpr (kBeside == Beside::shared) {
      other[kPlace] = *static_cast<const volatile unsigned*>(own + kPlace * 32 + lane);
    }
  };
  (load(std::integral_constant<int, kAt>()), ...);
  ((sum += value[kAt] ^ other[kAt]), ...);
  return sum;
}

template <int kWords, Beside kBeside>
__global__ void __launch_bounds__(1024) stream(Ask ask, unsigned* sink) {
  __shared__ Span span;
  __shared__ unsigned own[kUnderWay * 32];
  begin_span(span);
  const bool busy = static_cast<int>(threadIdx.x / 32 % 4) < ask.subs;
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = lane, start = 0xffffffff, stop = 0;
  for (int pass = 0; busy && pass < 3; ++pass) {  // the first ones bring code and constants
    asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x / 4 * ask.subs) : "memory");
    start = clock_now(sum);
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      sum += load_all<kWords, kBeside>(ask, own, lane, std::make_index_sequence<kUnderWay>());
    }
    stop = clock_now(sum);
  }
  sink[threadIdx.x] = sum;
  end_span(span, start, stop, ask.cycles);
}

template <int kWords, Beside kBeside>
void ask(Report& report, const std::string& name) {
  const Recorder<int> cycles(1);
  const Recorder<unsigned> sink(1024), hot(kUnderWay * 32);
  for (const int subs : {1, 2, 4}) {
    for (const int warps : {1, 2, 4, 8}) {
      stream<kWords, kBeside><<<1, warps * 4 * 32>>>({cycles.device(), hot.device(), subs, 1}, sink.device());
      finish("stream");
      report.scalar("constant_rate", "op=" + name + ";subs=" + std::to_string(subs) + ";warps=" + std::to_string(warps),
                    "cycles", static_cast<double>(cycles.host()[0]) / (kOps * warps), "cycle");
    }
  }
}

}  // namespace

void constant_rate(Report& report) {
  ask<1, Beside::nothing>(report, "LDC");
  ask<2, Beside::nothing>(report, "LDC.64");
  ask<4, Beside::nothing>(report, "LDC.128");
  ask<1, Beside::global>(report, "LDC+LDG");
  ask<1, Beside::shared>(report, "LDC+LDS");
}

}  // namespace tilescope::gpu
