// What the steps of a tiled product cost the SMs, by what they are made of: all SMs are full of CTAs that repeat a step
// with some of a tiled product's instructions.
//   per_step: cycles of an SM from its first CTA's start to its last one's end, by all steps of all its warps.
// global: loads of the step, of 4 bytes a lane from `lines` lines of L2, taken in the next step. stores: STS.32.
// words: LDS.32. broadcasts: LDS.128 of one address, two passes of the data stage each. barriers: BAR.SYNC of the CTA's
// `threads`.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 256;
constexpr int kWaves = 4;  // of CTAs: as many fit an SM, and the next ones follow them
constexpr int kWarpsOfSm = 64;
constexpr int kMostCtas = 32;              // of an SM
constexpr unsigned kWarpBytes = 16 << 10;  // of L2: all warps of an SM take more than L1 holds
constexpr unsigned kSharedWords = 1024;    // of a CTA
constexpr unsigned kLine = 128;

template <int kGlobal, unsigned kLines, int kStores, int kWords, int kBroadcasts, int kBarriers>
struct Step {
  static constexpr int global = kGlobal, stores = kStores, words = kWords, broadcasts = kBroadcasts,
                       barriers = kBarriers;
  static constexpr int slots = kGlobal == 0 ? 1 : kGlobal;
  static constexpr unsigned lines = kLines;
};

template <class What>
__global__ void __launch_bounds__(1024) probe_steps(const char* data, unsigned* first, unsigned* last, unsigned* sink) {
  __shared__ alignas(16) unsigned words[kSharedWords];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x; i < kSharedWords; i += blockDim.x) {
    words[i] = 0;
  }
  __syncthreads();
  const unsigned rank = (blockIdx.x * ((blockDim.x + 31) / 32) + warp) % kWarpsOfSm;
  constexpr unsigned kBytesOfLine = What::lines == 0 ? kLine : 32 * 4 / What::lines;
  const char* const base = data + rank * kWarpBytes + lane * 4 / kBytesOfLine * kLine + lane * 4 % kBytesOfLine;
  const unsigned store = shared_address(words) + (warp * 128 + lane * 4) % (kSharedWords * 2);
  const unsigned load = shared_address(words) + lane * 4, one = shared_address(words) + warp * 16;
  unsigned sum = 0, before[What::slots] = {};
  unsigned at = 0;
  const unsigned start = clock_now();
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    unsigned next[What::slots] = {};
#pragma unroll
    for (int i = 0; i < What::global; ++i) {
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(next[i]) : "l"(base + at + i * What::lines * kLine) : "memory");
    }
    at = (at + What::global * What::lines * kLine) & (kWarpBytes - 1);
#pragma unroll
    for (int i = 0; i < What::stores; ++i) {
      asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(store + i * 2048), "r"(before[i % What::slots]) : "memory");
    }
    if constexpr (What::barriers > 0) {
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < What::broadcasts; ++i) {
      unsigned a, b, c, d;
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(one + i % 4 * 512)
                   : "memory");
      sum ^= a ^ b ^ c ^ d;
    }
#pragma unroll
    for (int i = 0; i < What::words; ++i) {
      unsigned v;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(load + i * 128) : "memory");
      sum ^= v;
    }
    if constexpr (What::barriers > 1) {
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < What::global; ++i) {
      sum ^= before[i];
      before[i] = next[i];
    }
  }
  __syncthreads();
  if (sum == 0x12345U) {
    *sink = sum;
  }
  if (threadIdx.x == 0) {
    atomicMin(&first[sm_id()], start);
    atomicMax(&last[sm_id()], clock_now());
  }
}

template <class What>
void measure(Report& report, const Recorder<char>& data, int threads) {
  const int warps = (threads + 31) / 32;
  const int ctas_of_sm = std::min(kMostCtas, kWarpsOfSm / warps);
  const int ctas = kWaves * ctas_of_sm * sm_count();
  Recorder<unsigned> first(static_cast<std::size_t>(sm_count())), last(first.host().size());
  const Recorder<unsigned> sink(1);
  double mean = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    check(cudaMemset(first.device(), 0xff, 4 * static_cast<std::size_t>(sm_count())), "cudaMemset");
    last.clear();
    probe_steps<What><<<ctas, threads>>>(data.device(), first.device(), last.device(), sink.device());
    finish("tile_steps");
    const std::vector<unsigned> from = first.host(), to = last.host();
    mean = 0;
    for (std::size_t sm = 0; sm < from.size(); ++sm) {
      mean += static_cast<double>(to[sm] - from[sm]) / static_cast<double>(from.size());
    }
  }
  report.scalar("tile_steps",
                "global=" + std::to_string(What::global) + ";lines=" + std::to_string(What::lines) +
                    ";stores=" + std::to_string(What::stores) + ";words=" + std::to_string(What::words) +
                    ";broadcasts=" + std::to_string(What::broadcasts) + ";barriers=" + std::to_string(What::barriers) +
                    ";threads=" + std::to_string(threads),
                "per_step", mean / (static_cast<double>(kWaves) * kSteps * ctas_of_sm * warps), "cycle");
}

template <class What>
void measure_all(Report& report, const Recorder<char>& data) {
  for (const int threads : {16, 32, 64, 256, 1024}) {
    measure<What>(report, data, threads);
  }
}

template <unsigned kLines>
void measure_lines(Report& report, const Recorder<char>& data) {
  measure_all<Step<2, kLines, 0, 8, 2, 0>>(report, data);
  measure_all<Step<2, kLines, 2, 8, 2, 0>>(report, data);
  measure_all<Step<2, kLines, 0, 8, 2, 2>>(report, data);
  measure_all<Step<2, kLines, 2, 8, 2, 1>>(report, data);
  measure_all<Step<2, kLines, 2, 8, 2, 2>>(report, data);
  measure_all<Step<2, kLines, 2, 16, 4, 2>>(report, data);
  measure_all<Step<2, kLines, 2, 0, 12, 2>>(report, data);
  measure_all<Step<2, kLines, 2, 24, 0, 2>>(report, data);
}

}  // namespace

void tile_steps(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kWarpsOfSm) * kWarpBytes + 64 * 1024);
  measure_all<Step<0, 0, 0, 8, 2, 0>>(report, data);
  measure_all<Step<0, 0, 0, 16, 0, 0>>(report, data);
  measure_all<Step<0, 0, 2, 8, 2, 0>>(report, data);
  measure_all<Step<0, 0, 2, 16, 0, 0>>(report, data);
  measure_all<Step<0, 0, 0, 8, 2, 1>>(report, data);
  measure_all<Step<0, 0, 0, 8, 2, 2>>(report, data);
  measure_all<Step<0, 0, 2, 8, 2, 2>>(report, data);
  measure_lines<1>(report, data);
  measure_lines<2>(report, data);
  measure_lines<4>(report, data);
}

}  // namespace tilescope::gpu
