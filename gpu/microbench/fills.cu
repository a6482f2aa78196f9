// What a line that comes from L2 costs the SM's data stage. Half of the warps of one CTA keep the data stage busy:
// loads from shared memory (background=lds), or from global memory that hit in L1 (background=ldg); the others read a
// buffer in L2 in the way the case names, until the first are through.
//   per_request: cycles by which a request of the case makes the first half late. Its own passes of the data stage are
//     in it: 1 where it loads 4 bytes a lane, 4 where it loads 16.
//   requests_per_cycle: how many there were.
// bytes: of each line that a request touches; state=l1: the lines are in L1, so that nothing is filled.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kUnroll = 8;
constexpr int kRounds = 1024;
constexpr int kWarps = 16;  // of each half
constexpr unsigned kL1Bytes = 16 << 10;
constexpr unsigned kL2Bytes = 8 << 20;
constexpr unsigned kLine = 128;
constexpr unsigned kFlag = kWarps * 4096 / 4;  // word of shared memory behind the warps' own

enum class Background { kLds, kLdg };
constexpr const char* kBackgrounds[] = {"lds", "ldg"};

// kBytesOfLane by each lane; 32 lanes touch kBytesOfLine of each line. kAsync: cp.async into shared memory.
template <int kLaneBytes, int kLineBytes, bool kPastL1, bool kAsync>
struct Reads {
  static constexpr int lane_bytes = kLaneBytes, line_bytes = kLineBytes;
  static constexpr bool past_l1 = kPastL1, async = kAsync;
  static constexpr unsigned lines = 32 * kLaneBytes / kLineBytes;  // of a request
  __device__ static unsigned offset(int lane) {
    return lane * kLaneBytes / kLineBytes * kLine + lane * kLaneBytes % kLineBytes;
  }
  __device__ static void read(const char* from, unsigned shared, unsigned& sum) {
    if constexpr (kAsync) {
      if constexpr (kPastL1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
      else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(kLaneBytes) : "memory");
    } else if constexpr (kLaneBytes == 16) {
      unsigned a, b, c, d;
      if constexpr (kPastL1)
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(from)
                     : "memory");
      else
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(from)
                     : "memory");
      sum ^= a ^ b ^ c ^ d;
    } else {
      unsigned a;
      if constexpr (kPastL1)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(from) : "memory");
      else
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(from) : "memory");
      sum ^= a;
    }
  }
};

template <class Case>
__global__ void __launch_bounds__(1024) probe_fills(const char* data, Background background, unsigned bytes, int sm,
                                                    int* claims, int* results, unsigned* sink) {
  extern __shared__ char shared[];
  __shared__ unsigned first, last, requests, done;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x; i <= kFlag; i += blockDim.x) {
    reinterpret_cast<unsigned*>(shared)[i] = 0;
  }
  if (threadIdx.x == 0) {
    first = 0xffffffffU;
    last = requests = done = 0;
  }
  const char* const hot = data + kL2Bytes;
  unsigned sum = 0;
  for (unsigned at = lane * 4; at < kL1Bytes; at += kLine) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(sum) : "l"(hot + at));
  }
  __syncthreads();
  const unsigned mine = shared_address(shared) + warp % kWarps * 4096 + lane * 4;
  if (warp < kWarps) {
    const unsigned start = clock_now();
    for (int round = 0; round < kRounds; ++round) {
      unsigned v[kUnroll];
      if (background == Background::kLds) {
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
          asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(mine + i * 128));
        }
      } else {
        const char* const from = hot + (warp * 1024 + lane * 4) % kL1Bytes;
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
          asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(from + i * 128));
        }
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        sum ^= v[i];
      }
    }
    if (sum == 0x12345U) {
      *sink = sum;
    }
    const unsigned stop = clock_now();
    if (lane == 0) {
      atomicMin(&first, start);
      atomicMax(&last, stop);
      if (atomicAdd(&done, 1U) == kWarps - 1) {
        reinterpret_cast<volatile unsigned*>(shared)[kFlag] = 1;
      }
    }
  } else {
    const unsigned span = bytes / kWarps;
    const char* const base = (bytes > kL1Bytes ? data : hot) + (warp - kWarps) * span + Case::offset(lane);
    constexpr unsigned kStep = Case::lines * kLine;
    unsigned at = 0, rounds = 0;
    volatile unsigned* const flag = reinterpret_cast<volatile unsigned*>(shared) + kFlag;
    const unsigned into = shared_address(shared) + (warp - kWarps) * 2048 + lane * Case::lane_bytes;
    do {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        Case::read(base + ((at + i * kStep) & (span - 1)), into, sum);
      }
      if constexpr (Case::async) {
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
      }
      at += kUnroll * kStep;
      if (at >= span) {
        at = 0;
      }
      ++rounds;
    } while (*flag == 0);
    if (sum == 0x12345U) {
      *sink = sum;
    }
    if (lane == 0) {
      atomicAdd(&requests, rounds * kUnroll);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    results[0] = static_cast<int>(last - first);
    results[1] = static_cast<int>(requests);
  }
}

template <class Case>
void measure(Report& report, const Recorder<char>& data, Background background, bool in_l1) {
  Recorder<int> claims(1);
  Recorder<int> results(2);
  const Recorder<unsigned> sink(1);
  const int shared = 96 * 1024;
  check(cudaFuncSetAttribute(probe_fills<Case>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
        "cudaFuncSetAttribute");
  const auto run = [&](unsigned bytes) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      claims.clear();
      probe_fills<Case><<<2 * sm_count(), 1024, shared>>>(data.device(), background, bytes, 0, claims.device(),
                                                          results.device(), sink.device());
      finish("fills");
    }
    return results.host();
  };
  const std::vector<int> got = run(in_l1 ? kL1Bytes : kL2Bytes);
  const double background_passes = static_cast<double>(kWarps) * kRounds * kUnroll;
  const double flags = static_cast<double>(got[1]) / kUnroll;  // reads of the flag
  const std::string the_case = std::string("background=") + kBackgrounds[static_cast<int>(background)] +
                               ";state=" + (in_l1 ? "l1" : "l2") + ";lane_bytes=" + std::to_string(Case::lane_bytes) +
                               ";bytes=" + std::to_string(Case::line_bytes) + ";op=" + (Case::async ? "copy" : "load") +
                               (Case::past_l1 ? ";past_l1=1" : "");
  report.scalar("fills", the_case, "per_request", (got[0] - background_passes - flags) / got[1], "cycle");
  report.scalar("fills", the_case, "requests_per_cycle", static_cast<double>(got[1]) / got[0], "request/cycle");
}

template <int kLaneBytes, int kLineBytes, bool kPastL1, bool kAsync>
void measure_states(Report& report, const Recorder<char>& data) {
  using Case = Reads<kLaneBytes, kLineBytes, kPastL1, kAsync>;
  for (const Background background : {Background::kLds, Background::kLdg}) {
    if (!kPastL1) {
      measure<Case>(report, data, background, true);
    }
    measure<Case>(report, data, background, false);
  }
}

}  // namespace

void fills(Report& report) {
  const Recorder<char> data(kL2Bytes + 4 * kL1Bytes);  // 32 lines beyond what a warp steps through
  measure_states<4, 128, false, false>(report, data);
  measure_states<4, 64, false, false>(report, data);
  measure_states<4, 32, false, false>(report, data);
  measure_states<4, 4, false, false>(report, data);
  measure_states<16, 128, false, false>(report, data);
  measure_states<16, 32, false, false>(report, data);
  measure_states<4, 128, true, false>(report, data);
  measure_states<4, 32, true, false>(report, data);
  measure_states<16, 128, true, false>(report, data);
  measure_states<4, 128, false, true>(report, data);
  measure_states<4, 64, false, true>(report, data);
  measure_states<4, 32, false, true>(report, data);
  measure_states<16, 128, false, true>(report, data);
  measure_states<16, 128, true, true>(report, data);
  measure_states<16, 64, true, true>(report, data);
}

}  // namespace tilescope::gpu
