// What loads from global memory cost the data stage of an SM whose warps load and store shared memory in between, as a
// tiled product does: each warp asks for the data of its next round, then works on shared memory, then takes what it
// asked for in the round before.
//   per_round: cycles of the SM for one round of one warp, while 32 warps go through their rounds.
// loads: of a round; lane_bytes, lines: of each, 32 lanes side by side on as many lines; state: l1, where every line is
// there, or l2, where none is; op: load, load past L1, or copy (cp.async). shared: instructions of the round on shared
// memory, and of which kind: lds32 (one pass of the data stage), broadcast (16 bytes of one address, two), lds128
// (four) or sts32 (one).
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 128;
constexpr int kWarps = 32;
constexpr int kLoads = 2;
constexpr unsigned kLine = 128;
constexpr unsigned kL1Bytes = 8 << 10;
constexpr unsigned kWarpBytes = 256 << 10;  // of L2, for each warp

enum class Shared { kLds32, kBroadcast, kLds128, kSts32 };
constexpr const char* kSharedNames[] = {"lds32", "broadcast", "lds128", "sts32"};
enum class Op { kLoad, kPastL1, kCopy };
constexpr const char* kOpNames[] = {"load", "load;past_l1=1", "copy"};

template <Shared kKind>
__device__ void use_shared(unsigned at, unsigned& sum) {
  if constexpr (kKind == Shared::kSts32) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(at) : "memory");
  } else if constexpr (kKind == Shared::kLds32) {
    unsigned v;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    sum ^= v;
  } else {
    unsigned a, b, c, d;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at)
                 : "memory");
    sum ^= a ^ b ^ c ^ d;
  }
}

template <Op kOp, int kLaneBytes>
__device__ void ask(const char* from, unsigned into, unsigned (&v)[4]) {
  if constexpr (kOp == Op::kCopy) {
    if constexpr (kLaneBytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(into), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(into), "l"(from) : "memory");
  } else if constexpr (kOp == Op::kPastL1) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[0]) : "l"(from) : "memory");
  } else if constexpr (kLaneBytes == 16) {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(from)
                 : "memory");
  } else {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[0]) : "l"(from) : "memory");
  }
}

template <Op kOp, int kLaneBytes, unsigned kLines, Shared kKind, int kShared>
__global__ void __launch_bounds__(1024)
    probe_turns(const char* data, unsigned span, int sm, int* claims, int* cycles, unsigned* sink) {
  extern __shared__ char words[];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ Span taken;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x; i < 64 * 1024 / 4; i += blockDim.x) {
    reinterpret_cast<unsigned*>(words)[i] = 0;
  }
  constexpr unsigned kBytesOfLine = 32 * kLaneBytes / kLines;
  const char* const base = data + (span > kL1Bytes ? warp * span : 0) + lane * kLaneBytes / kBytesOfLine * kLine +
                           lane * kLaneBytes % kBytesOfLine;
  const unsigned shared =
      shared_address(words) + (kKind == Shared::kBroadcast ? 0 : lane * (kKind == Shared::kLds128 ? 16 : 4));
  const unsigned into = shared_address(words) + 32 * 1024 + warp * 1024 + lane * kLaneBytes;
  unsigned sum = 0, before[kLoads][4] = {};
  unsigned start = 0, stop = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first brings the lines into L1 or L2
    begin_span(taken);
    unsigned at = 0;
    start = clock_now();
#pragma unroll 2
    for (int round = 0; round < kRounds; ++round) {
      unsigned next[kLoads][4] = {};
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        ask<kOp, kLaneBytes>(base + at, into + i * 512, next[i]);
        at = (at + kLines * kLine) & (span - 1);
      }
      if constexpr (kOp == Op::kCopy) {
        asm volatile("cp.async.commit_group;" ::: "memory");
      }
#pragma unroll
      for (int i = 0; i < kShared; ++i) {
        use_shared<kKind>(shared + i * 512, sum);
      }
      if constexpr (kOp == Op::kCopy) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
      }
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        sum ^= before[i][0] ^ before[i][1] ^ before[i][2] ^ before[i][3];
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          before[i][w] = next[i][w];
        }
      }
    }
    stop = clock_now();
    __syncthreads();
  }
  if (sum == 0x12345U) {
    *sink = sum;
  }
  end_span(taken, start, stop, cycles);
}

template <Op kOp, int kLaneBytes, unsigned kLines, Shared kKind, int kShared>
void measure(Report& report, const Recorder<char>& data) {
  const auto kernel = probe_turns<kOp, kLaneBytes, kLines, kKind, kShared>;
  constexpr int kSharedBytes = 120 * 1024;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
        "cudaFuncSetAttribute");
  Recorder<int> claims(1), cycles(1);
  const Recorder<unsigned> sink(1);
  for (const bool in_l1 : {true, false}) {
    if (in_l1 && kOp == Op::kPastL1) {
      continue;
    }
    int least = 1 << 30;
    for (int repeat = 0; repeat < 3; ++repeat) {
      claims.clear();
      kernel<<<2 * sm_count(), 32 * kWarps, kSharedBytes>>>(data.device(), in_l1 ? kL1Bytes : kWarpBytes, 0,
                                                            claims.device(), cycles.device(), sink.device());
      finish("turns");
      least = std::min(least, cycles.host()[0]);
    }
    report.scalar("turns",
                  std::string("op=") + kOpNames[static_cast<int>(kOp)] + ";state=" + (in_l1 ? "l1" : "l2") +
                      ";lane_bytes=" + std::to_string(kLaneBytes) + ";lines=" + std::to_string(kLines) +
                      ";loads=" + std::to_string(kLoads) + ";shared=" + std::to_string(kShared) +
                      ";kind=" + kSharedNames[static_cast<int>(kKind)],
                  "per_round", static_cast<double>(least) / (kRounds * kWarps), "cycle");
  }
}

template <Op kOp, int kLaneBytes, unsigned kLines>
void measure_all(Report& report, const Recorder<char>& data) {
  measure<kOp, kLaneBytes, kLines, Shared::kLds32, 0>(report, data);
  measure<kOp, kLaneBytes, kLines, Shared::kLds32, 4>(report, data);
  measure<kOp, kLaneBytes, kLines, Shared::kLds32, 8>(report, data);
  measure<kOp, kLaneBytes, kLines, Shared::kLds32, 16>(report, data);
  measure<kOp, kLaneBytes, kLines, Shared::kBroadcast, 8>(report, data);
  measure<kOp, kLaneBytes, kLines, Shared::kLds128, 4>(report, data);
  measure<kOp, kLaneBytes, kLines, Shared::kSts32, 8>(report, data);
}

}  // namespace

void turns(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kWarps) * kWarpBytes + 64 * 1024);
  measure_all<Op::kLoad, 4, 1>(report, data);
  measure_all<Op::kLoad, 4, 2>(report, data);
  measure_all<Op::kLoad, 4, 4>(report, data);
  measure_all<Op::kLoad, 4, 16>(report, data);
  measure_all<Op::kLoad, 16, 4>(report, data);
  measure_all<Op::kPastL1, 4, 1>(report, data);
  measure_all<Op::kPastL1, 4, 4>(report, data);
  measure_all<Op::kCopy, 4, 1>(report, data);
  measure_all<Op::kCopy, 16, 4>(report, data);
}

}  // namespace tilescope::gpu
