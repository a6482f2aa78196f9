// cp.async: latency, rate, what commits and waits cost, and how many are issued before the issuing stalls.
//   question=latency: one warp copies, commits and waits for the group; 32 lanes copy neighbouring words, or one alone.
//     state=l1: the line is there (.ca); l2: only in L2; hbm: L2 was flushed. median of kSamples copies.
//   question=rate: cycles_per_request of one SM. Groups of 8 copies a warp, one group pending while the next is issued.
//     state=l1: 32 KiB read again and again; l2: 8 MiB.
//   question=cost: cycles of one warp for what the case names, nothing else pending.
//   question=queue: issued_before_stall: copies of one warp until one takes more than kStall cycles to issue.
//     Trace rows: row = warp, index = copy, value = cycles since the first.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSamples = 64;
constexpr int kPitch = 4224;  // bytes between copies of a sample: lines, sets and slices of their own
constexpr int kGroup = 8;
constexpr int kRounds = 64;
constexpr int kQueued = 96;
constexpr unsigned kStall = 100;
constexpr std::size_t kBytes = 8 << 20;
constexpr unsigned kL1Bytes = 32 << 10;

enum class State { kL1, kL2, kHbm };
constexpr const char* kStateNames[] = {"l1", "l2", "hbm"};

// kBytes of each lane; all copies of 16 bytes may go past L1 (.cg).
template <int kBytesOfLane, bool kPastL1>
__device__ void copy(unsigned shared, const char* global) {
  if constexpr (kPastL1) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(kBytesOfLane) : "memory");
  }
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__global__ void warm(const char* data, std::size_t bytes) {
  for (std::size_t i = 32 * (blockIdx.x * std::size_t{256} + threadIdx.x); i < bytes; i += 32 * 256 * gridDim.x) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i) : "memory");
  }
}

void prepare(State state, const Recorder<char>& data) {
  if (state == State::kHbm) {
    flush_l2();
  } else {
    warm<<<256, 256>>>(data.device(), kBytes);  // ends before the next launch, which begins with an empty L1
  }
}

template <int kBytesOfLane, bool kPastL1>
__global__ void latency(const char* data, int passes, int sm, int* claims, unsigned* cycles) {
  __shared__ alignas(128) char buffer[32 * 16];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = shared_address(buffer) + threadIdx.x * kBytesOfLane;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
    for (int i = 0; i < kSamples; ++i) {
      const char* const from = data + i * kPitch + threadIdx.x * kBytesOfLane;
      const unsigned start = clock_now(shared);
      copy<kBytesOfLane, kPastL1>(shared, from);
      commit();
      wait<0>();
      const unsigned stop = clock_now(shared);
      if (threadIdx.x == 0) {
        cycles[i] = stop - start;
      }
    }
  }
}

template <int kBytesOfLane, bool kPastL1>
__global__ void __launch_bounds__(1024) rate(const char* data, unsigned mask, int sm, int* claims, int* cycles) {
  __shared__ alignas(128) char buffer[32 * 32 * 16 / 2];  // warps share it in pairs
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = shared_address(buffer) + threadIdx.x * kBytesOfLane % sizeof buffer;
  unsigned offset = threadIdx.x * kBytesOfLane;
  if (mask == kL1Bytes - 1) {
    for (unsigned i = threadIdx.x * 16; i < kL1Bytes; i += blockDim.x * 16) {
      copy<16, false>(shared_address(buffer) + threadIdx.x * 16 % sizeof buffer, data + i);
    }
    commit();
    wait<0>();
  }
  __shared__ Span span;
  begin_span(span);
  const unsigned start = clock_now();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      copy<kBytesOfLane, kPastL1>(shared, data + offset);
      offset = (offset + blockDim.x * kBytesOfLane) & mask;
    }
    commit();
    wait<1>();
  }
  wait<0>();
  const unsigned stop = clock_now();
  end_span(span, start, stop, cycles);
}

enum class Cost { kCommit, kWait, kCommitWait, kCopy, kCopyCommit };
constexpr const char* kCostNames[] = {"commit", "wait", "commit+wait", "copy", "copy+commit"};

template <Cost kCost>
__global__ void cost(const char* data, int sm, int* claims, int* cycles) {
  __shared__ alignas(128) char buffer[32 * 16];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = shared_address(buffer) + threadIdx.x * 16;
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned start = clock_now();
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (kCost == Cost::kCopy || kCost == Cost::kCopyCommit) {
        copy<16, false>(shared, data + threadIdx.x * 16);
      }
      if constexpr (kCost == Cost::kCommit || kCost == Cost::kCommitWait || kCost == Cost::kCopyCommit) {
        commit();
      }
      if constexpr (kCost == Cost::kWait || kCost == Cost::kCommitWait) {
        wait<0>();
      }
    }
    const unsigned stop = clock_now();
    wait<0>();
    *cycles = static_cast<int>(stop - start);
  }
}

template <int kBytesOfLane, bool kPastL1>
__global__ void queue(const char* data, int sm, int* claims, unsigned* clocks) {
  __shared__ alignas(128) char buffer[32 * 16];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = shared_address(buffer) + threadIdx.x % 32 * kBytesOfLane;
  const int warp = threadIdx.x / 32;
  const char* const from = data + warp * kQueued * kPitch + threadIdx.x % 32 * kBytesOfLane;
  unsigned t[kQueued];
#pragma unroll
  for (int i = 0; i < kQueued; ++i) {
    t[i] = clock_now(shared);
    copy<kBytesOfLane, kPastL1>(shared, from + i * kPitch);
  }
  commit();
  wait<0>();
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int i = 0; i < kQueued; ++i) {
      clocks[warp * kQueued + i] = t[i] - t[0];
    }
  }
}

std::string name_of_copy(int bytes, bool past_l1) {
  return std::string("cache=") + (past_l1 ? "cg" : "ca") + ";bytes=" + std::to_string(bytes);
}

template <int kBytesOfLane, bool kPastL1>
void measure_latency(Report& report, const Recorder<char>& data, State state, int lanes) {
  Recorder<int> claims(1);
  const Recorder<unsigned> cycles(kSamples);
  for (int pass = 0; pass < 2; ++pass) {
    prepare(state, data);
    claims.clear();
    latency<kBytesOfLane, kPastL1>
        <<<4 * sm_count(), lanes>>>(data.device(), state == State::kL1 ? 2 : 1, 0, claims.device(), cycles.device());
    finish("latency");
  }
  std::vector<unsigned> all = cycles.host();
  std::sort(all.begin(), all.end());
  report.scalar("async_copy",
                std::string("question=latency;state=") + kStateNames[static_cast<int>(state)] + ";" +
                    name_of_copy(kBytesOfLane, kPastL1) + ";lanes=" + std::to_string(lanes),
                "median", all[kSamples / 2], "cycle");
}

template <int kBytesOfLane, bool kPastL1>
void measure_rate(Report& report, const Recorder<char>& data, State state) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    Recorder<int> claims(1);
    const Recorder<int> cycles(1);
    for (int pass = 0; pass < 2; ++pass) {
      prepare(State::kL2, data);
      claims.clear();
      rate<kBytesOfLane, kPastL1><<<4 * sm_count(), 32 * warps>>>(
          data.device(), state == State::kL1 ? kL1Bytes - 1 : kBytes - 1, 0, claims.device(), cycles.device());
      finish("rate");
    }
    report.scalar("async_copy",
                  std::string("question=rate;state=") + kStateNames[static_cast<int>(state)] + ";" +
                      name_of_copy(kBytesOfLane, kPastL1) + ";warps=" + std::to_string(warps),
                  "cycles_per_request", static_cast<double>(cycles.host()[0]) / (kRounds * kGroup * warps), "cycle");
  }
}

template <Cost kCost>
void measure_cost(Report& report, const Recorder<char>& data) {
  Recorder<int> claims(1);
  const Recorder<int> cycles(1);
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    cost<kCost><<<4 * sm_count(), 32>>>(data.device(), 0, claims.device(), cycles.device());
    finish("cost");
  }
  report.scalar("async_copy", std::string("question=cost;of=") + kCostNames[static_cast<int>(kCost)], "each",
                static_cast<double>(cycles.host()[0]) / kGroup, "cycle");
}

template <int kBytesOfLane, bool kPastL1>
void measure_queue(Report& report, const Recorder<char>& data, State state) {
  for (const int warps : {1, 2, 4}) {
    Recorder<int> claims(1);
    const Recorder<unsigned> clocks(static_cast<std::size_t>(warps) * kQueued);
    for (int pass = 0; pass < 2; ++pass) {
      prepare(state, data);
      claims.clear();
      queue<kBytesOfLane, kPastL1><<<4 * sm_count(), 32 * warps>>>(data.device(), 0, claims.device(), clocks.device());
      finish("queue");
    }
    const std::string the_case = std::string("question=queue;state=") + kStateNames[static_cast<int>(state)] + ";" +
                                 name_of_copy(kBytesOfLane, kPastL1) + ";warps=" + std::to_string(warps);
    const std::vector<unsigned> all = clocks.host();
    int issued = 1;
    while (issued < kQueued && all[issued] - all[issued - 1] <= kStall) {
      ++issued;
    }
    report.scalar("async_copy", the_case, "issued_before_stall", issued, "");
    for (std::size_t i = 0; i < all.size(); ++i) {
      report.trace("async_copy", the_case, static_cast<int>(i / kQueued), static_cast<int>(i % kQueued), all[i]);
    }
  }
}

template <int kBytesOfLane, bool kPastL1>
void measure_copy(Report& report, const Recorder<char>& data) {
  for (const State state : {State::kL1, State::kL2, State::kHbm}) {
    if (state == State::kL1 && kPastL1) {
      continue;
    }
    measure_latency<kBytesOfLane, kPastL1>(report, data, state, 1);
    measure_latency<kBytesOfLane, kPastL1>(report, data, state, 32);
    if (state != State::kHbm) {
      measure_rate<kBytesOfLane, kPastL1>(report, data, state);
    }
    if (kBytesOfLane != 8 && state != State::kL1) {
      measure_queue<kBytesOfLane, kPastL1>(report, data, state);
    }
  }
}

}  // namespace

void async_copy(Report& report) {
  const Recorder<char> data(kBytes);
  measure_copy<4, false>(report, data);
  measure_copy<8, false>(report, data);
  measure_copy<16, false>(report, data);
  measure_copy<16, true>(report, data);
  measure_cost<Cost::kCommit>(report, data);
  measure_cost<Cost::kWait>(report, data);
  measure_cost<Cost::kCommitWait>(report, data);
  measure_cost<Cost::kCopy>(report, data);
  measure_cost<Cost::kCopyCommit>(report, data);
}

}  // namespace tilescope::gpu
