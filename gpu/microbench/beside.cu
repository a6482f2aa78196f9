// How long an access to memory takes while other warps of its SM make accesses of another kind, and where it waits: for
// a place in the queue of its sub-partition, on its way out of the SM, or on its way back.
//   latency: of one access at a time, mean of 40; cycle.
//   issue: until the instruction behind it issues.
//   out: later than alone, by the clock of another SM that writes it all the time into the word that is read; l2 only.
//   rounds: of eight accesses that each of the other warps makes, so many that the last timed access is among them.
//   rate: cycles from one access of the others to the next, all together.
// timed: l2 (a load that L2 has), l1 (that L1 has), shared. beside: shared (width: wavefronts of a load), l1 (width:
// its lines), l2 (the same), store (the same, a sector of each). warps: all (31 others), half (15), few (7), one a
// sub-partition or two; same (the seven of the sub-partition of the timed warp), other (the eight of the next one),
// others (24). warps=none: the access alone.
#include <array>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kAccesses = 40;
constexpr int kLanes = 32;
constexpr int kWarps = 32;
constexpr int kAtOnce =
    8;  // accesses before a warp waits; each is of other words than those about it, or it would be dropped
constexpr int kLineWords = 32;  // of 4 bytes
constexpr int kMostRounds = 1 << 16;
constexpr unsigned kBetweenTimes = 40;  // cycles

enum class Kind { l2, l1, shared, store };
constexpr const char* kNames[] = {"l2", "l1", "shared", "store"};

template <Kind kKind>
__device__ inline unsigned access(const unsigned* global, unsigned shared) {
  unsigned v = 0;
  if constexpr (kKind == Kind::l2) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(global) : "memory");
  } else if constexpr (kKind == Kind::l1) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(global) : "memory");
  } else if constexpr (kKind == Kind::shared) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared) : "memory");
  } else {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(global), "r"(shared) : "memory");
  }
  return v;
}

struct Results {
  unsigned stop;            // not 0: block 1 is to end
  unsigned latency, issue;  // sums over the timed accesses
  int out;                  // ... of the time that is read less the time of the issue
  unsigned cycles;          // of all timed accesses
  unsigned others[kWarps];  // cycles of each of the other warps
};

// Block 0 measures, block 1 tells the time. `line`: 32 lines for each warp; l1 reads those of warp 0.
template <Kind kTimed, Kind kBeside>
__global__ void __launch_bounds__(kWarps* kLanes)
    probe_beside(unsigned* word, const unsigned* line, unsigned mask, int width, int rounds, Results* results) {
  extern __shared__ unsigned words[];
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  volatile unsigned* const stop = &results->stop;
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      for (unsigned last = clock_now(threadIdx.x); *stop == 0;) {
        for (int i = 0; i < 16; ++i) {
          while (clock_now(threadIdx.x) - last < kBetweenTimes) {
          }
          last = clock_now(threadIdx.x);
          asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(word), "r"(last) : "memory");
        }
      }
    }
    return;
  }
  for (int i = static_cast<int>(threadIdx.x); i < kLanes * kLanes; i += kWarps * kLanes) {
    words[i] = 0;
  }
  __syncthreads();
  unsigned seen = 0;
  if (warp == 0) {
    const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&words[lane]));
    const unsigned* const from = kTimed == Kind::l2 ? word : line + lane;
    unsigned latency = 0, issue = 0;
    int out = 0;
    const unsigned begin = clock_now(lane);
#pragma unroll 1
    for (int i = 0; i < kAccesses + 2; ++i) {  // the first two are not counted
      const unsigned start = clock_now(seen);
      __syncwarp();
      const unsigned v = access<kTimed>(from, own);
      __syncwarp();
      const unsigned issued = clock_now(lane);
      __syncwarp();
      const unsigned there = clock_now(v);
      __syncwarp();
      seen = v;
      if (i > 1) {
        latency += there - start;
        issue += issued - start;
        out += static_cast<int>(v - start);
      }
    }
    if (lane == 0) {
      results->cycles = clock_now(lane) - begin;
      results->latency = latency;
      results->issue = issue;
      results->out = out;
      *stop = 1;
    }
  } else if ((mask >> warp & 1) != 0) {
    // Lane i reads word i * width, modulo the array: `width` words of each bank that is read.
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&words[lane * width % (kLanes * kLanes)]));
    const unsigned* const from = line + ((kBeside == Kind::l1 ? 0 : warp) * kLanes + lane % width) * kLineWords;
    const unsigned start = clock_now(lane);
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      unsigned v[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        v[i] = access<kBeside>(from + round % 2 * kAtOnce + i, address);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        seen |= v[i];
      }
    }
    if (lane == 0) {
      results->others[warp] = clock_now(seen | 1U) - start;
    }
  }
  if (seen == 0x12345678U) {
    results->issue = 0;
  }
}

struct Beside {
  const char* name;
  unsigned mask;  // of the other warps; warp i is of sub-partition i % 4
};
constexpr Beside kNone{"none", 0};
constexpr std::array<Beside, 6> kBesides{{{"all", 0xfffffffe},
                                          {"half", 0x0000fffe},
                                          {"few", 0x000000fe},
                                          {"same", 0x11111110},
                                          {"other", 0x22222222},
                                          {"others", 0xeeeeeeee}}};

struct Memory {
  DeviceBuffer<unsigned> word{kLineWords};
  DeviceBuffer<unsigned> line{kWarps * kLanes * kLineWords};
};

template <Kind kTimed, Kind kBeside>
void measure(Report& report, const Memory& memory, const Beside& beside, int width, double& alone) {
  const auto kernel = probe_beside<kTimed, kBeside>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "shared memory");
  Recorder<Results> recorder(1);
  Results results{};
  int rounds = beside.mask == 0 ? 0 : 64;
  unsigned least = 0;
  do {  // the others outlast the timed accesses
    rounds *= 2;
    recorder.clear();
    kernel<<<2, kWarps * kLanes, kOneCtaPerSm>>>(memory.word.data(), memory.line.data(), beside.mask, width, rounds,
                                                 recorder.device());
    finish("probe_beside");
    results = recorder.host()[0];
    least = ~0U;
    for (int warp = 0; warp < kWarps; ++warp) {
      least = (beside.mask >> warp & 1) != 0 ? std::min(least, results.others[warp]) : least;
    }
  } while (least < results.cycles && rounds < kMostRounds);
  const std::string name = std::string("timed=") + kNames[static_cast<int>(kTimed)] +
                           ";beside=" + kNames[static_cast<int>(kBeside)] + ";warps=" + beside.name +
                           ";width=" + std::to_string(width);
  const auto mean = [](double sum) { return sum / kAccesses; };
  report.scalar("beside", name, "latency", mean(results.latency), "cycle");
  report.scalar("beside", name, "issue", mean(results.issue), "cycle");
  if (kTimed == Kind::l2) {
    alone = beside.mask == 0 ? mean(results.out) : alone;
    report.scalar("beside", name, "out", mean(results.out) - alone, "cycle");
  }
  if (beside.mask == 0) {
    return;
  }
  double rate = 0;
  for (const unsigned cycles : results.others) {
    rate += cycles == 0 ? 0 : static_cast<double>(rounds) * kAtOnce / cycles;
  }
  report.scalar("beside", name, "rounds", rounds, "round");
  report.scalar("beside", name, "rate", 1 / rate, "cycle");
}

template <Kind kTimed, Kind kBeside>
void measure_all(Report& report, const Memory& memory) {
  double alone = 0;
  measure<kTimed, kBeside>(report, memory, kNone, 1, alone);  // brings the code and the lines
  measure<kTimed, kBeside>(report, memory, kNone, 1, alone);
  for (const Beside& beside : kBesides) {
    for (const int width : {1, 2, 4, 8, 32}) {
      measure<kTimed, kBeside>(report, memory, beside, width, alone);
    }
  }
}
template <Kind kTimed>
void measure_beside(Report& report, const Memory& memory) {
  measure_all<kTimed, Kind::shared>(report, memory);
  measure_all<kTimed, Kind::l1>(report, memory);
  measure_all<kTimed, Kind::l2>(report, memory);
  measure_all<kTimed, Kind::store>(report, memory);
}

}  // namespace

void beside(Report& report) {
  const Memory memory;
  check(cudaMemset(memory.line.data(), 0, memory.line.bytes()), "cudaMemset");
  measure_beside<Kind::l2>(report, memory);
  measure_beside<Kind::l1>(report, memory);
  measure_beside<Kind::shared>(report, memory);
}

}  // namespace tilescope::gpu
