// How often can an SM read special registers (S2R), constants at computed addresses (LDC) and exchange words between
// lanes (SHFL)? A CTA with an SM to itself; `warps` warps on each of `subs` sub-partitions have kOps of them under way,
// independent of one another, and then use all. cycles: of the CTA, per operation of one sub-partition. `first`: from a
// barrier until the warp that is served last has its first result.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kOps = 16;

struct Words {
  int* cycles;
  unsigned zero;
  int subs;
  unsigned padding[60];
  alignas(8) unsigned words[64];
};

enum class Special { kS2r, kLdc, kLdc64, kShuffle };

template <Special kSpecial>
__global__ void __launch_bounds__(1024) special(const __grid_constant__ Words p, unsigned* sink) {
  __shared__ Span span;
  __shared__ unsigned first;
  first = 0;
  begin_span(span);
  const bool busy = static_cast<int>(threadIdx.x / 32 % 4) < p.subs;
  unsigned x = threadIdx.x & 31;
  unsigned start = 0xffffffff, stop = 0, one = 0;
  for (int pass = 0; busy && pass < 2; ++pass) {  // the first one brings code and constants
    asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x / 4 * p.subs) : "memory");
    start = clock_now(x);
    unsigned v[kOps];
#pragma unroll
    for (int i = 0; i < kOps; ++i) {
      if constexpr (kSpecial == Special::kS2r) {
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(v[i]));
      } else if constexpr (kSpecial == Special::kLdc) {
        v[i] = p.words[i + (x & p.zero)];
      } else if constexpr (kSpecial == Special::kLdc64) {
        const uint2 both = reinterpret_cast<const uint2*>(p.words)[i + (x & p.zero)];
        v[i] = both.x ^ both.y;
      } else {
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(v[i]) : "r"(x), "r"(i + 1));
      }
    }
    asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(v[0]));
    one = clock_now(x) - start;
#pragma unroll
    for (int i = 1; i < kOps; ++i) {
      asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(v[i]));
    }
    stop = clock_now(x);
    x &= 31;
  }
  atomicMax(&first, one);
  sink[threadIdx.x] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    p.cycles[1] = static_cast<int>(first);
  }
  end_span(span, start, stop, p.cycles);
}

template <Special kSpecial>
void ask(Report& report, const char* name) {
  Recorder<int> cycles(2);
  Recorder<unsigned> sink(1024);
  for (const int subs : {1, 4}) {
    for (const int warps : {1, 2, 4, 8}) {
      Words p = {};
      p.cycles = cycles.device();
      p.subs = subs;
      for (int pass = 0; pass < 2; ++pass) {
        special<kSpecial><<<1, warps * 4 * 32>>>(p, sink.device());
        finish("special");
      }
      const std::string the_case =
          std::string("op=") + name + ";subs=" + std::to_string(subs) + ";warps=" + std::to_string(warps);
      report.scalar("special_rate", the_case, "cycles", static_cast<double>(cycles.host()[0]) / (kOps * warps),
                    "cycle");
      report.scalar("special_rate", the_case, "first", cycles.host()[1], "cycle");
    }
  }
}

}  // namespace

void special_rate(Report& report) {
  ask<Special::kS2r>(report, "S2R");
  ask<Special::kLdc>(report, "LDC");
  ask<Special::kLdc64>(report, "LDC.64");
  ask<Special::kShuffle>(report, "SHFL");
}

}  // namespace tilescope::gpu
