// How long does a fence hold a warp, by what is outstanding before it, and do lines that L1 held hit behind it?
// `stores` and `loads` are instructions of 32 lanes at 128-byte lines of their own; `warps` warps do the same at the
// same time. first, second: two fences one behind the other; hit: a load of a line that L1 held before them, then the
// same load again.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Fence { none, cta, gpu, sys, acq_rel_gpu, sc_cta, acquire_load, barrier };

template <Fence kFence>
__device__ void fence(const unsigned* word) {
  if constexpr (kFence == Fence::cta) {
    __threadfence_block();
  } else if constexpr (kFence == Fence::gpu) {
    __threadfence();
  } else if constexpr (kFence == Fence::sys) {
    __threadfence_system();
  } else if constexpr (kFence == Fence::acq_rel_gpu) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  } else if constexpr (kFence == Fence::sc_cta) {
    asm volatile("fence.sc.cta;" ::: "memory");
  } else if constexpr (kFence == Fence::barrier) {
    asm volatile("bar.sync 0;" ::: "memory");
  } else if constexpr (kFence == Fence::acquire_load) {
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
    if (v == 77) {
      __nanosleep(1);
    }
  }
}
// A clock read that waits for `v`.
__device__ unsigned clock_behind(unsigned v) {
  unsigned t;
  asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 77; @p trap; mov.u32 %0, %%clock;}" : "=r"(t) : "r"(v) : "memory");
  return t;
}

template <Fence kFence>
__global__ void __launch_bounds__(1024)
    hold(unsigned* words, int stores, int loads, int sm, int* claims, unsigned* seen) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  unsigned* const mine = words + warp * (1 << 16);
  unsigned t[5] = {};
  for (int pass = 0; pass < 2; ++pass) {
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mine + lane) : "memory");
    clock_behind(v);
    fence<Fence::gpu>(words);
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mine + lane) : "memory");
    clock_behind(v);
    __syncthreads();
    unsigned got[8] = {};
    for (int k = 0; k < stores; ++k) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + 4096 + (k * 32 + lane) * 32), "r"(pass) : "memory");
    }
    if (loads > 0) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got[k]) : "l"(mine + 40000 + (k * 32 + lane) * 32) : "memory");
      }
    }
    t[0] = clock_now();
    fence<kFence>(words);
    t[1] = clock_now();
    fence<kFence>(words);
    t[2] = clock_now();
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mine + lane) : "memory");
    t[3] = clock_behind(v);
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mine + lane) : "memory");
    t[4] = clock_behind(v);
    for (const unsigned g : got) {
      clock_behind(g);
    }
  }
  if (threadIdx.x == 0) {
    for (int k = 0; k < 4; ++k) {
      seen[k] = t[k + 1] - t[k];
    }
  }
}

template <Fence kFence>
void measure(Report& report, const char* name) {
  const Recorder<unsigned> words(32U << 16);
  for (const int warps : {1, 8, 32}) {
    for (const int stores : {0, 1, 2, 4, 8, 32}) {
      for (const int loads : {0, 8}) {
        Recorder<int> claims(1);
        Recorder<unsigned> seen(4);
        hold<kFence><<<4 * sm_count(), 32 * warps>>>(words.device(), stores, loads, 0, claims.device(), seen.device());
        finish("hold");
        const std::string the_case = std::string("fence=") + name + ";warps=" + std::to_string(warps) +
                                     ";stores=" + std::to_string(stores) + ";loads=" + std::to_string(loads);
        const std::vector<unsigned> cycles = seen.host();
        const char* const metrics[] = {"first", "second", "hit", "hit_again"};
        for (int k = 0; k < 4; ++k) {
          report.scalar("fences", the_case, metrics[k], cycles[k], "cycle");
        }
      }
    }
  }
}

}  // namespace

void fences(Report& report) {
  measure<Fence::none>(report, "none");
  measure<Fence::cta>(report, "cta");
  measure<Fence::gpu>(report, "gpu");
  measure<Fence::sys>(report, "sys");
  measure<Fence::acq_rel_gpu>(report, "acq_rel_gpu");
  measure<Fence::sc_cta>(report, "sc_cta");
  measure<Fence::acquire_load>(report, "acquire_load");
  measure<Fence::barrier>(report, "barrier");
}

}  // namespace tilescope::gpu
