// What does code cost that an SM has not run before? A warp of each CTA jumps over `over` bytes of code again and
// again, behind `behind` KiB that it jumps over first, twice in a row; looks at the clock before each jump.
//   cycles: from a look to the next, mean of the CTAs; block: which, of how many; turn: 0, the code is new to the SM;
//   1, the second time. over=0: straight code, 33 instructions a block, an instruction each cycle (ipc=1) or each
//   fourth.
// The launch before it has put other code into the instruction caches and emptied L2. Under a profiler that empties the
// caches before each launch, SMs do not have what a launch brings ahead while the one before it runs.
#include <string>
#include <vector>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kInstructionBytes = 16;
constexpr int kOwnInstructions = 4;  // of a block without what it jumps over
constexpr int kTurns = 2;
constexpr int kOtherInstructions = 24000;

// Many in one statement: compilers take long over as many statements.
template <int kCount>
__device__ inline void instructions(float& x) {
  constexpr int kTogether = 8;
#pragma unroll
  for (int i = 0; i < kCount / kTogether; ++i) {
    asm volatile(
        "fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0;"
        "fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0; fma.rn.f32 %0, %0, %0, %0;"
        : "+f"(x));
  }
#pragma unroll
  for (int i = 0; i < kCount % kTogether; ++i) {
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  }
}

// `looks`: at the clock, before each block and behind the last; `times`: of all CTAs, both turns.
template <int kLooks>
__device__ inline void record(const unsigned (&looks)[kLooks], unsigned* times, int turn) {
  if (threadIdx.x == 0) {
    unsigned* const mine = times + (blockIdx.x * kTurns + turn) * (kLooks - 1);
#pragma unroll
    for (int block = 0; block + 1 < kLooks; ++block) {
      mine[block] = looks[block + 1] - looks[block];
    }
  }
}

template <int kOver, int kBlocks, int kBehindKib>
__global__ void probe_code_jumps(int turns, unsigned never, float x, unsigned* times, float* sink) {
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    unsigned time[kBlocks + 1];
    if constexpr (kBehindKib != 0) {
      if (never & 1U) {
        instructions<kBehindKib * 1024 / kInstructionBytes>(x);
      }
    }
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      time[block] = clock_now(threadIdx.x);
      if (never >> block % 31 & 1U) {
        instructions<kOver / kInstructionBytes - kOwnInstructions>(x);
      }
    }
    time[kBlocks] = clock_now(threadIdx.x);
    record(time, times, turn);
  }
  if (x == 1.5F) {
    *sink = x;
  }
}

template <int kChains, int kBlocks, int kBehindKib>
__global__ void probe_code_straight(int turns, unsigned never, float x, unsigned* times, float* sink) {
  float chains[4] = {x, x, x, x};
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    unsigned time[kBlocks + 1];
    if constexpr (kBehindKib != 0) {
      if (never & 1U) {
        instructions<kBehindKib * 1024 / kInstructionBytes>(x);
      }
    }
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      time[block] = clock_now(threadIdx.x);
#pragma unroll
      for (int i = 0; i < 31; ++i) {
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(chains[i % kChains]));
      }
    }
    time[kBlocks] = clock_now(threadIdx.x);
    record(time, times, turn);
  }
  if (x + chains[0] + chains[1] + chains[2] + chains[3] == 1.5F) {
    *sink = x;
  }
}

__global__ void other_code(float x, float* sink) {
  instructions<kOtherInstructions>(x);
  if (x == 1.5F) {
    *sink = x;
  }
}

template <class Kernel>
void measure(Report& report, const std::string& the_case, Kernel kernel, int blocks) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const Recorder<float> sink(1);
  for (const int ctas : {1, sm_count()}) {
    const Recorder<unsigned> times(static_cast<std::size_t>(ctas) * kTurns * blocks);
    other_code<<<sm_count(), 128>>>(0.5F, sink.device());
    flush_l2();
    finish("other_code");
    kernel<<<ctas, 32, kOneCtaPerSm>>>(kTurns, 0U, 0.5F, times.device(), sink.device());
    finish("probe_code");
    const std::vector<unsigned> all = times.host();
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int block = 0; block < blocks; ++block) {
        double sum = 0;
        for (int cta = 0; cta < ctas; ++cta) {
          sum += all[(static_cast<std::size_t>(cta) * kTurns + turn) * blocks + block];
        }
        report.scalar("code_jumps",
                      the_case + ";ctas=" + std::to_string(ctas) + ";turn=" + std::to_string(turn) +
                          ";block=" + std::to_string(block),
                      "cycles", sum / ctas, "cycle");
      }
    }
  }
}

template <int kOver, int kBlocks, int kBehindKib>
void jumps(Report& report) {
  measure(
      report,
      "over=" + std::to_string(kOver) + ";blocks=" + std::to_string(kBlocks) + ";behind=" + std::to_string(kBehindKib),
      probe_code_jumps<kOver, kBlocks, kBehindKib>, kBlocks);
}

template <int kChains, int kBlocks, int kBehindKib>
void straight(Report& report) {
  measure(report, std::string("over=0;ipc=") + (kChains == 1 ? "0.25" : "1") + ";behind=" + std::to_string(kBehindKib),
          probe_code_straight<kChains, kBlocks, kBehindKib>, kBlocks);
}

}  // namespace

void code_jumps(Report& report) {
  jumps<1024, 120, 0>(report);  // where what a launch brings ends
  jumps<256, 24, 0>(report);
  jumps<512, 48, 0>(report);
  jumps<512, 64, 0>(report);
  jumps<1024, 32, 0>(report);
  jumps<1024, 40, 0>(report);
  jumps<2048, 24, 0>(report);
  straight<1, 16, 0>(report);
  straight<4, 32, 0>(report);
  jumps<256, 24, 96>(report);
  jumps<512, 24, 96>(report);
  jumps<1024, 24, 96>(report);
  jumps<2048, 24, 96>(report);
  jumps<4096, 16, 96>(report);
  jumps<16384, 8, 96>(report);
  straight<1, 16, 96>(report);
  straight<4, 32, 96>(report);
}

}  // namespace tilescope::gpu
