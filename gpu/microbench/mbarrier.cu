// What mbarriers, named barriers and setmaxnreg cost.
//   question=cost: cycles of one thread for each of kRepeats operations in a row. try_wait and test_wait: `done` of a
//     phase that is complete, `not_done` of one that is not (try_wait then waits for a while by itself); done_chained:
//     each needs the answer of the one before.
//   question=round_trip: two warps answer each other; cycles there and back. by=try_wait or test_wait: each waits
//     for an mbarrier on which the other arrives; named: bar.sync of two warps; arrive+sync: bar.arrive and bar.sync.
//   question=setmaxnreg: cycles of a warpgroup for giving registers back (dec) and for taking them (inc) when they are
//     free.
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

[[maybe_unused]] constexpr int kRepeats = 32;
constexpr int kTrips = 64;

enum class Op {
  kArrive,
  kArriveExpect,
  kTryDone,
  kTryDoneChained,
  kTestDone,
  kTryNotDone,
  kTestNotDone,
  kInit,
  kPublish
};
constexpr const char* kOpNames[] = {
    "arrive",         "arrive.expect_tx",  "try_wait.done",      "try_wait.done_chained",
    "test_wait.done", "try_wait.not_done", "test_wait.not_done", "init",
    "fences"};

template <Op kOp>
__global__ void cost(int sm, int* claims, int* cycles) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long words[2];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned barrier = shared_address(words);
  unsigned seen = kOp == Op::kTryDoneChained ? 1 : 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first one fills the instruction caches
    mbarrier_init(barrier, 512);
    mbarrier_publish();
    constexpr int kCount = kOp == Op::kTryNotDone ? 4 : kRepeats;
    const unsigned start = clock_now(barrier);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if constexpr (kOp == Op::kArrive) {
        mbarrier_arrive(barrier);
      } else if constexpr (kOp == Op::kArriveExpect) {
        mbarrier_arrive_expect(barrier, 16);
      } else if constexpr (kOp == Op::kTryDone) {
        seen += mbarrier_try_wait(barrier, 1);
      } else if constexpr (kOp == Op::kTryDoneChained) {
        seen = mbarrier_try_wait(barrier + 8 - 8 * seen, 1) ? 1 : 0;
      } else if constexpr (kOp == Op::kTestDone) {
        seen += mbarrier_test_wait(barrier, 1);
      } else if constexpr (kOp == Op::kTryNotDone) {
        seen += mbarrier_try_wait(barrier, 0);
      } else if constexpr (kOp == Op::kTestNotDone) {
        seen += mbarrier_test_wait(barrier, 0);
      } else if constexpr (kOp == Op::kInit) {
        mbarrier_init(barrier + 8, 512);
      } else {
        mbarrier_publish();
      }
    }
    cycles[1] = static_cast<int>(seen);  // waits for the last answer
    cycles[0] = static_cast<int>(clock_now(barrier) - start);
    cycles[2] = kCount;
    mbarrier_init(barrier, 512);
  }
#endif
}

enum class By { kTry, kTest, kNamed, kArriveSync };
constexpr const char* kByNames[] = {"try_wait", "test_wait", "named", "arrive+sync"};

template <By kBy>
__global__ void round_trip(int sm, int* claims, int* cycles, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long words[2];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned ping = shared_address(words);
  const unsigned pong = ping + 8;
  if (threadIdx.x == 0) {
    mbarrier_init(ping, 1);
    mbarrier_init(pong, 1);
    mbarrier_publish();
  }
  __syncthreads();
  const bool first = threadIdx.x < 32;
  const auto wait = [&](unsigned barrier, unsigned parity) {
    if constexpr (kBy == By::kTry) {
      return mbarrier_wait(barrier, parity, failures);
    } else {
      for (int poll = 0; poll < 20000; ++poll) {
        if (mbarrier_test_wait(barrier, parity)) {
          return true;
        }
      }
      atomicAdd(failures, 1);
      return false;
    }
  };
  const unsigned start = clock_now(ping);
#pragma unroll 1
  for (int i = 0; i < kTrips; ++i) {
    if constexpr (kBy == By::kNamed) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else if constexpr (kBy == By::kArriveSync) {
      if (first) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
      } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.arrive 2, 64;" ::: "memory");
      }
    } else {
      if (threadIdx.x % 32 == 0 && first) {
        mbarrier_arrive(ping);
      }
      if (!wait(first ? pong : ping, i % 2)) {
        return;
      }
      if (threadIdx.x % 32 == 0 && !first) {
        mbarrier_arrive(pong);
      }
    }
  }
  if (threadIdx.x == 0) {
    *cycles = static_cast<int>(clock_now(ping) - start);
  }
#endif
}

// Three warpgroups of at most 168 registers a thread: the last gives 128 back, then the others take 64 each.
__global__ void __launch_bounds__(384, 1) set_registers(int sm, int* claims, int* cycles) {
#ifdef TILESCOPE_SM90A
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __syncthreads();
  if (threadIdx.x >= 256) {
    const unsigned start = clock_now(threadIdx.x);
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    const unsigned stop = clock_now(threadIdx.x);
    if (threadIdx.x == 256) {
      cycles[0] = static_cast<int>(stop - start);
    }
  } else {
    const unsigned before = clock_now(threadIdx.x);
    while (clock_now(threadIdx.x) - before < 5000) {  // they are free by now
    }
    const unsigned start = clock_now(threadIdx.x);
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
    const unsigned stop = clock_now(threadIdx.x);
    if (threadIdx.x % 128 == 0) {
      cycles[1 + threadIdx.x / 128] = static_cast<int>(stop - start);
    }
  }
#endif
}

template <Op kOp>
void measure_cost(Report& report) {
  Recorder<int> claims(1);
  const Recorder<int> cycles(3);
  cost<kOp><<<4 * sm_count(), 1>>>(0, claims.device(), cycles.device());
  finish("cost");
  const std::vector<int> all = cycles.host();
  report.scalar("mbarrier", std::string("question=cost;of=") + kOpNames[static_cast<int>(kOp)], "each",
                static_cast<double>(all[0]) / all[2], "cycle");
}

template <By kBy>
void measure_round_trip(Report& report) {
  Recorder<int> claims(1);
  const Recorder<int> cycles(1);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    round_trip<kBy><<<4 * sm_count(), 64>>>(0, claims.device(), cycles.device(), failures.device());
    failures.finish("round_trip");
  }
  report.scalar("mbarrier", std::string("question=round_trip;by=") + kByNames[static_cast<int>(kBy)], "each",
                static_cast<double>(cycles.host()[0]) / kTrips, "cycle");
}

}  // namespace

void mbarrier(Report& report) {
  if (!has_hopper("mbarrier")) {
    return;
  }
  measure_cost<Op::kArrive>(report);
  measure_cost<Op::kArriveExpect>(report);
  measure_cost<Op::kTryDone>(report);
  measure_cost<Op::kTryDoneChained>(report);
  measure_cost<Op::kTestDone>(report);
  measure_cost<Op::kTryNotDone>(report);
  measure_cost<Op::kTestNotDone>(report);
  measure_cost<Op::kInit>(report);
  measure_cost<Op::kPublish>(report);
  measure_round_trip<By::kTry>(report);
  measure_round_trip<By::kTest>(report);
  measure_round_trip<By::kNamed>(report);
  measure_round_trip<By::kArriveSync>(report);

  Recorder<int> claims(1);
  const Recorder<int> cycles(3);
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    set_registers<<<4 * sm_count(), 384>>>(0, claims.device(), cycles.device());
    finish("set_registers");
  }
  const std::vector<int> all = cycles.host();
  report.scalar("mbarrier", "question=setmaxnreg;of=dec", "cycles", all[0], "cycle");
  report.scalar("mbarrier", "question=setmaxnreg;of=inc", "cycles", all[1], "cycle");
}

}  // namespace tilescope::gpu
