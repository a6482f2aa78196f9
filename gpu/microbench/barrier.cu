// What does a barrier cost, by warps of the CTA? Back to back, and from the last warp's arrival to everybody's release.
// Which instructions does a warp issue that has arrived at one (BAR.SYNC.DEFER_BLOCKING) while others have not?
//   next=...: cycles of a first warp from its arrival to a clock read behind `next`; the other warp of the CTA arrives
//   20,000 later.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kBarriers = 64;

__global__ void back_to_back(int sm, int* claims, int* cycles) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __syncthreads();
  const unsigned start = clock_now();
#pragma unroll
  for (int i = 0; i < kBarriers; ++i) {
    asm volatile("bar.sync 0;" ::: "memory");
  }
  const unsigned stop = clock_now();
  cycles[threadIdx.x / 32] = static_cast<int>(stop - start);
}

// The last warp comes 2,000 cycles late; each warp's clock before and behind the barrier, relative to the latecomer's
// arrival.
__global__ void release(int sm, int* claims, unsigned* before, unsigned* behind) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ unsigned word;
  word = 0;
  const int warp = threadIdx.x / 32;
  __syncthreads();
  const unsigned start = clock_now();
  if (warp == static_cast<int>(blockDim.x) / 32 - 1) {
    while (clock_now() - start < 2000) {
    }
  }
  const unsigned arrive = clock_now();
  asm volatile("bar.sync 0;" ::: "memory");
  // BAR.SYNC.DEFER_BLOCKING lets a clock read pass; a load that the next instruction needs does not pass. Its latency
  // is included.
  unsigned zero;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(zero) : "r"(shared_address(&word)) : "memory");
  if (zero != 0) {
    return;
  }
  const unsigned leave = clock_now();
  before[warp] = arrive;
  behind[warp] = leave;
}

enum class Next : std::uint8_t {
  kClock,
  kFfmas,
  kDouble,
  kHalf,
  kVote,
  kPopulation,
  kConstant,
  kSpecial,
  kShared,
  kSharedOff,
  kStore,
  kBranch,
  kTensor,
  kUniform
};
constexpr const char* kNextNames[] = {"clock", "ffma_x64", "dadd", "hfma2",  "vote",
                                      "popc",  "constant", "s2ur", "lds",    "lds_guarded_off",
                                      "stg",   "branch",   "hmma", "uniform"};
__constant__ int constants[8];

template <Next kNext>
__global__ void pass(int* words, int one, float x, unsigned* cycles) {
  __shared__ int shared[64];
  shared[threadIdx.x] = 0;
  int n = words[threadIdx.x];
  double d;
  asm volatile("cvt.f64.f32 %0, %1;" : "=d"(d) : "f"(x) : "memory");  // a conversion must not come behind the barrier
  unsigned h = threadIdx.x;
  float sum[4] = {x, x, x, x};
  const unsigned start = clock_now(threadIdx.x);
  if (threadIdx.x >= 32) {
    while (clock_now(threadIdx.x) - start < 20000) {
    }
  }
  asm volatile("bar.sync 0;" ::: "memory");
  if constexpr (kNext == Next::kFfmas) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum[i % 4]) : "f"(x) : "memory");
    }
  } else if constexpr (kNext == Next::kDouble) {
    asm volatile("add.f64 %0, %0, %0;" : "+d"(d)::"memory");
  } else if constexpr (kNext == Next::kHalf) {
    asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(h)::"memory");
  } else if constexpr (kNext == Next::kVote) {
    asm volatile("{.reg .pred p; setp.gt.s32 p, %0, 3; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "+r"(n)::"memory");
  } else if constexpr (kNext == Next::kPopulation) {
    asm volatile("popc.b32 %0, %0;" : "+r"(n)::"memory");
  } else if constexpr (kNext == Next::kConstant) {
    asm volatile("ld.const.s32 %0, [%1];"
                 : "+r"(n)
                 : "l"(static_cast<unsigned long long>(__cvta_generic_to_constant(constants + (n & 7))))
                 : "memory");
  } else if constexpr (kNext == Next::kSpecial) {
    asm volatile("mov.u32 %0, %%smid;" : "+r"(n)::"memory");
  } else if constexpr (kNext == Next::kShared) {
    asm volatile("ld.volatile.shared.s32 %0, [%1];" : "+r"(n) : "r"(shared_address(&shared[threadIdx.x])) : "memory");
  } else if constexpr (kNext == Next::kSharedOff) {
    asm volatile("{.reg .pred p; setp.gt.s32 p, %2, 9; @p ld.volatile.shared.s32 %0, [%1];}"
                 : "+r"(n)
                 : "r"(shared_address(&shared[threadIdx.x])), "r"(one)
                 : "memory");
  } else if constexpr (kNext == Next::kStore) {
    asm volatile("st.global.s32 [%0], %1;" ::"l"(words + 64 + threadIdx.x), "r"(n) : "memory");
  } else if constexpr (kNext == Next::kBranch) {
#pragma unroll 1
    for (int i = 0; i < 4 * one; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum[0]) : "f"(x) : "memory");
    }
  } else if constexpr (kNext == Next::kTensor) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(h)
        : "memory");
  } else if constexpr (kNext == Next::kUniform) {
    asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(one)::"memory");
  }
  const unsigned stop = clock_now(threadIdx.x);
  words[threadIdx.x] =
      n + one + static_cast<int>(h) + __float_as_int(sum[0] + sum[1] + sum[2] + sum[3]) + __double2loint(d);
  if (threadIdx.x == 0) {
    *cycles = stop - start;
  }
}

template <Next kNext>
void measure_next(Report& report) {
  const Recorder<int> words(128);
  const Recorder<unsigned> cycles(1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    pass<kNext><<<1, 64>>>(words.device(), 1, 1.0F, cycles.device());
    finish("barrier");
  }
  report.scalar("barrier", std::string("next=") + kNextNames[static_cast<int>(kNext)], "behind", cycles.host()[0],
                "cycle");
}

}  // namespace

void barrier(Report& report) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    const std::string the_case = "warps=" + std::to_string(warps);
    Recorder<int> claims(1);
    Recorder<int> cycles(32);
    Recorder<unsigned> before(32);
    Recorder<unsigned> behind(32);
    for (int pass = 0; pass < 2; ++pass) {
      claims.clear();
      back_to_back<<<4 * sm_count(), 32 * warps>>>(0, claims.device(), cycles.device());
      claims.clear();
      release<<<4 * sm_count(), 32 * warps>>>(0, claims.device(), before.device(), behind.device());
      finish("barrier");
    }
    report.scalar("barrier", the_case, "back_to_back", static_cast<double>(cycles.host()[0]) / kBarriers, "cycle");
    const unsigned latecomer = before.host()[warps - 1];
    for (int warp = 0; warp < warps; ++warp) {
      report.trace("barrier", the_case + ";from=latecomer", warp, 0, static_cast<int>(behind.host()[warp] - latecomer));
    }
  }
  measure_next<Next::kClock>(report);
  measure_next<Next::kFfmas>(report);
  measure_next<Next::kDouble>(report);
  measure_next<Next::kHalf>(report);
  measure_next<Next::kVote>(report);
  measure_next<Next::kPopulation>(report);
  measure_next<Next::kConstant>(report);
  measure_next<Next::kSpecial>(report);
  measure_next<Next::kShared>(report);
  measure_next<Next::kSharedOff>(report);
  measure_next<Next::kStore>(report);
  measure_next<Next::kBranch>(report);
  measure_next<Next::kTensor>(report);
  measure_next<Next::kUniform>(report);
}

}  // namespace tilescope::gpu
