// How many special functions (MUFU), conversions (I2F), shuffles (SHFL) and special registers (S2R) can a warp issue
// before issuing waits, how often do they go out after that, and when are they there? A CTA with an SM to itself;
// `warps` warps on each of `subs` sub-partitions read the clock before each of a row of independent operations (24, of
// S2R 9), and once more when the last result is there. Trace rows: row = warp, index = operation, value = cycles since
// the first; behind the last one, and with its result. first: from a lone operation's issue until its result is used.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Way { kMufu, kI2f, kShuffle, kS2r };

constexpr int kRegisters = 9;  // special registers that differ
template <Way kWay>
constexpr int kOps = kWay == Way::kS2r ? kRegisters : 24;
constexpr int kNotes = 24 + 2;

// The i-th operation. Special registers differ from one another, as the assembler reads one only once.
template <Way kWay>
__device__ __forceinline__ unsigned operation(unsigned x, int i) {
  unsigned v;
  if constexpr (kWay == Way::kMufu) {
    asm volatile("{.reg .f32 a, b; mov.b32 a, %1; ex2.approx.ftz.f32 b, a; mov.b32 %0, b;}" : "=r"(v) : "r"(x));
  } else if constexpr (kWay == Way::kI2f) {
    asm volatile("{.reg .f32 b; cvt.rn.f32.u32 b, %1; mov.b32 %0, b;}" : "=r"(v) : "r"(x));
  } else if constexpr (kWay == Way::kShuffle) {
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(v) : "r"(x), "r"(i % 31 + 1));
  } else {
    switch (i % kRegisters) {
      case 0:
        asm volatile("mov.u32 %0, %%tid.x;" : "=r"(v));
        break;
      case 1:
        asm volatile("mov.u32 %0, %%tid.y;" : "=r"(v));
        break;
      case 2:
        asm volatile("mov.u32 %0, %%tid.z;" : "=r"(v));
        break;
      case 3:
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(v));
        break;
      case 4:
        asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(v));
        break;
      case 5:
        asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(v));
        break;
      case 6:
        asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(v));
        break;
      case 7:
        asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(v));
        break;
      default:
        asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(v));
        break;
    }
  }
  return v;
}

// Not inlined, so that nothing of it is known before the clock is read.
template <Way kWay, int kCount>
__device__ __noinline__ unsigned row(unsigned x, unsigned* notes) {
  unsigned t[kCount + 2], v[kCount], in[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {  // different ones, or the assembler would do all at once
    in[i] = x + i;
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(in[i]) : "r"(i * 77));
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    t[i] = clock_now(x);
    v[i] = operation<kWay>(in[i], i);
  }
  t[kCount] = clock_now(x);
  unsigned sum = x;
  asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(v[kCount - 1]));
  t[kCount + 1] = clock_now(sum);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    sum ^= v[i];
  }
#pragma unroll
  for (int i = 0; i < kCount + 2; ++i) {
    notes[i] = t[i];
  }
  return sum;
}

template <Way kWay, int kCount>
__global__ void __launch_bounds__(1024) depth(int subs, unsigned zero, unsigned* notes, unsigned* sink) {
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (warp % 4 >= subs) {
    return;
  }
  unsigned x = (threadIdx.x & 31) * zero + 1;
  for (int pass = 0; pass < 2; ++pass) {  // the first one brings code and constants
    const unsigned begin = clock_now(x);
    while (clock_now(x) - begin < 6000) {  // what the pass before has stored is gone
    }
    asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x / 4 * subs) : "memory");
    sink[threadIdx.x] = row<kWay, kCount>(x, notes + (static_cast<std::size_t>(warp) * 32 + threadIdx.x % 32) * kNotes);
  }
}

template <Way kWay, int kCount>
std::vector<unsigned> notes_of(int subs, int warps) {
  Recorder<unsigned> notes(static_cast<std::size_t>(1024) * kNotes);
  Recorder<unsigned> sink(1024);
  check(cudaFuncSetAttribute(depth<kWay, kCount>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  depth<kWay, kCount><<<1, warps * 4 * 32, kOneCtaPerSm>>>(subs, 0, notes.device(), sink.device());
  finish("depth");
  return notes.host();
}

template <Way kWay>
void ask(Report& report, const std::string& name) {
  const std::vector<unsigned> lone = notes_of<kWay, 1>(1, 1);
  report.scalar("issue_depth", "op=" + name, "first", lone[2] - lone[0], "cycle");
  for (const int subs : {1, 4}) {
    for (const int warps : {1, 2, 4, 8}) {
      const std::string the_case = "op=" + name + ";subs=" + std::to_string(subs) + ";warps=" + std::to_string(warps);
      const std::vector<unsigned> seen = notes_of<kWay, kOps<kWay>>(subs, warps);
      const auto at = [&](int warp, int i) { return seen[(static_cast<std::size_t>(warp) * 32) * kNotes + i]; };
      unsigned begin = at(0, 0), end = 0;
      for (int warp = 0; warp < warps * 4; ++warp) {
        if (warp % 4 < subs) {
          begin = std::min(begin, at(warp, 0));
          end = std::max(end, at(warp, kOps<kWay> + 1));
        }
      }
      for (int warp = 0; warp < warps * 4; ++warp) {
        for (int i = 0; warp % 4 < subs && i < kOps<kWay> + 2; ++i) {
          report.trace("issue_depth", the_case, warp, i, at(warp, i) - begin);
        }
      }
      report.scalar("issue_depth", the_case, "cycles", static_cast<double>(end - begin), "cycle");
    }
  }
}

}  // namespace

void issue_depth(Report& report) {
  ask<Way::kMufu>(report, "MUFU");
  ask<Way::kI2f>(report, "I2F");
  ask<Way::kShuffle>(report, "SHFL");
  ask<Way::kS2r>(report, "S2R");
}

}  // namespace tilescope::gpu
