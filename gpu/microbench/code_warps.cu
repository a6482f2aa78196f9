// What does code cost that several warps of an SM come to together? `warps` warps of each CTA, one CTA an SM, run
// straight code, 33 instructions a block, one each cycle if a warp has its sub-partition to itself, and look at the
// clock before each block; twice in a row. roles=1: all of them the same code; roles=n: warp i the stretch i modulo n,
// each as long and each code of its own.
//   cycles: from a look to the next, mean of the warps and CTAs; block: which; turn: 0, the code is new to the SM; 1,
//   the second time.
// The launch before it has put other code into the instruction caches and emptied L2, as in code_jumps.
#include <string>
#include <vector>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kBlocks = 12;
constexpr int kTurns = 2;
constexpr int kMostWarps = 16;
constexpr int kOtherInstructions = 24000;

// The stretches differ in a factor, so that the compiler does not make one of them.
template <int kRole>
__device__ inline void block_of(float (&chains)[4]) {
#pragma unroll
  for (int i = 0; i < 31; ++i) {
    asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(chains[i % 4]) : "f"(1.0F + static_cast<float>(kRole) / 8));
  }
}

template <int kRole>
__device__ inline void stretch(float (&chains)[4], unsigned (&looks)[kBlocks + 1]) {
#pragma unroll
  for (int block = 0; block < kBlocks; ++block) {
    looks[block] = clock_now(threadIdx.x);
    block_of<kRole>(chains);
  }
  looks[kBlocks] = clock_now(threadIdx.x);
}

template <int kRoles>
__global__ void probe_code_warps(int turns, float x, unsigned* times, float* sink) {
  float chains[4] = {x, x, x, x};
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int role = warp % kRoles;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    unsigned looks[kBlocks + 1];
    if (kRoles == 1 || role == 0) {
      stretch<0>(chains, looks);
    } else if (kRoles == 2 || role == 1) {
      stretch<1>(chains, looks);
    } else if (role == 2) {
      stretch<2>(chains, looks);
    } else {
      stretch<3>(chains, looks);
    }
    if (threadIdx.x % 32 == 0) {
      unsigned* const mine = times + ((blockIdx.x * kMostWarps + warp) * kTurns + turn) * kBlocks;
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        mine[block] = looks[block + 1] - looks[block];
      }
    }
  }
  if (chains[0] + chains[1] + chains[2] + chains[3] == 1.5F) {
    *sink = x;
  }
}

__global__ void other_code(float x, float* sink) {
#pragma unroll
  for (int i = 0; i < kOtherInstructions; ++i) {
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  }
  if (x == 1.5F) {
    *sink = x;
  }
}

template <int kRoles>
void measure(Report& report) {
  check(cudaFuncSetAttribute(probe_code_warps<kRoles>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const Recorder<float> sink(1);
  for (const int ctas : {1, sm_count()}) {
    for (const int warps : {1, 2, 4, 8, 16}) {
      if (warps < kRoles) {
        continue;
      }
      const Recorder<unsigned> times(static_cast<std::size_t>(ctas) * kMostWarps * kTurns * kBlocks);
      other_code<<<sm_count(), 128>>>(0.5F, sink.device());
      flush_l2();
      finish("other_code");
      probe_code_warps<kRoles><<<ctas, 32 * warps, kOneCtaPerSm>>>(kTurns, 0.5F, times.device(), sink.device());
      finish("probe_code_warps");
      const std::vector<unsigned> all = times.host();
      for (int turn = 0; turn < kTurns; ++turn) {
        for (int block = 0; block < kBlocks; ++block) {
          double sum = 0;
          for (int cta = 0; cta < ctas; ++cta) {
            for (int warp = 0; warp < warps; ++warp) {
              sum += all[((static_cast<std::size_t>(cta) * kMostWarps + warp) * kTurns + turn) * kBlocks + block];
            }
          }
          report.scalar("code_warps",
                        "roles=" + std::to_string(kRoles) + ";warps=" + std::to_string(warps) + ";ctas=" +
                            std::to_string(ctas) + ";turn=" + std::to_string(turn) + ";block=" + std::to_string(block),
                        "cycles", sum / (ctas * warps), "cycle");
        }
      }
    }
  }
}

}  // namespace

void code_warps(Report& report) {
  measure<1>(report);
  measure<2>(report);
  measure<4>(report);
}

}  // namespace tilescope::gpu
