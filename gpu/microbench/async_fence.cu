// What the fence between ordinary and asynchronous accesses of shared memory costs (fence.proxy.async.shared::cta), and
// what follows it at the end of a tiled product: warps write a tile to shared memory, fence, meet, and one thread sends
// the tile to global memory by a bulk copy.
//   question=fence: cycles from before the stores of 16 bytes a lane, `stores` of them by each of `warps` warps, until
//   the warps have met behind them; fence=yes: each has passed a fence in between; twice: two.
//   beside=loads: meanwhile another warp reads shared memory, with conflicts of 32 wavefronts.
//   question=send: cycles from the first store until sent: the one thread has issued the copy; read, complete: it has
//   waited for it so far.
//   Means of kRounds rounds.
// Launches for a profiler (question=exit): 128 threads of one CTA write 8 KiB and end. send=none, no copy; exit: the
// copy is not waited for; read, complete.
#include "../common/wgmma.cuh"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 16;
constexpr int kThreads = 256;
constexpr int kSharedBytes = 64 * 1024;

enum class Fence { kNo, kYes, kTwice };
enum class Store { k16, kMatrices, kTransposed };
constexpr const char* kStoreNames[] = {"16", "stmatrix", "stmatrix.trans"};
enum class Until { kNothing, kSent, kRead, kComplete };

#ifdef TILESCOPE_SM90A
__device__ inline void store_16(unsigned to, unsigned value) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(value) : "memory");
}
__device__ inline void store_matrices(unsigned to, unsigned value) {  // four of 8 x 8 halves
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(value) : "memory");
}
__device__ inline void store_transposed(unsigned to, unsigned value) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(value)
               : "memory");
}
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void meet(unsigned threads) { asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory"); }
#endif

template <int kStores, Fence kFence, Until kUntil>
__global__ void __launch_bounds__(kThreads) pass_fence(int warps, bool loads, char* global, unsigned* cycles) {
#ifdef TILESCOPE_SM90A
  __shared__ volatile bool ended;
  const unsigned shared = aligned_shared();
  const int warp = threadIdx.x / 32;
  ended = false;
  __syncthreads();
  if (warp >= warps) {
    unsigned sum = 0;
    while (loads && warp == warps && !ended) {
      for (int i = 0; i < 8; ++i) {
        unsigned v;
        asm volatile("ld.shared.u32 %0, [%1];"
                     : "=r"(v)
                     : "r"(shared + 32768 + threadIdx.x % 32 * 128 + i * 4)
                     : "memory");
        sum ^= v;
      }
    }
    if (sum == 0x12345678U) {
      cycles[1] = sum;
    }
    return;
  }
  unsigned all = 0;
#pragma unroll 1
  for (int round = 0; round <= kRounds; ++round) {  // the first brings the code
    meet(warps * 32);
    const unsigned start = clock_now(shared);
#pragma unroll
    for (int i = 0; i < kStores; ++i) {
      store_16(shared + (warp * kStores + i) * 512 + threadIdx.x % 32 * 16, start);
    }
    if constexpr (kFence != Fence::kNo) {
      fence_async();
    }
    if constexpr (kFence == Fence::kTwice) {
      fence_async();
    }
    meet(warps * 32);
    if constexpr (kUntil != Until::kNothing) {
      if (threadIdx.x == 0) {
        bulk_store(global, shared, warps * kStores * 512);
        bulk_commit();
        if constexpr (kUntil == Until::kRead) {
          bulk_wait_read<0>();
        } else if constexpr (kUntil == Until::kComplete) {
          bulk_wait<0>();
        }
      }
    }
    const unsigned end = clock_now(shared);
    all += round == 0 ? 0 : end - start;
    if constexpr (kUntil == Until::kSent || kUntil == Until::kRead) {
      if (threadIdx.x == 0) {
        bulk_wait<0>();
      }
    }
  }
  if (threadIdx.x == 0) {
    cycles[0] = all;
    ended = true;
  }
#endif
}

// The end of a tiled product: each warp writes a KiB and sends it by itself, kSteps times; value: cycles of a step of
// the first warp, from before its stores until the copy is issued.
constexpr int kSteps = 4;
template <Store kStore, bool kFence>
__global__ void __launch_bounds__(kThreads) send_steps(char* global, unsigned* cycles) {
#ifdef TILESCOPE_SM90A
  const unsigned warp = threadIdx.x / 32;
  const unsigned shared = aligned_shared() + warp * (kSteps * 1024);
  unsigned seen[kSteps + 1];
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    seen[0] = clock_now(shared);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const unsigned to = shared + step * 1024 + i * 512 + threadIdx.x % 32 * 16;
        if constexpr (kStore == Store::k16) {
          store_16(to, seen[0]);
        } else if constexpr (kStore == Store::kMatrices) {
          store_matrices(to, seen[0]);
        } else {
          store_transposed(to, seen[0]);
        }
      }
      if constexpr (kFence) {
        fence_async();
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        bulk_store(global + (warp * kSteps + step) * 1024, shared + step * 1024, 1024);
        bulk_commit();
      }
      __syncwarp();
      seen[step + 1] = clock_now(shared);
    }
    if (threadIdx.x % 32 == 0) {
      bulk_wait<0>();
    }
  }
  if (threadIdx.x == 0) {
    for (int step = 0; step < kSteps; ++step) {
      cycles[step] = seen[step + 1] - seen[step];
    }
  }
#endif
}

// Stores of matrices by each warp of `groups` warpgroups, a fence and a barrier of the warpgroup, in rounds that begin
// `idle` cycles after the one before has ended: cycles of the last two, in the first warp, round by round. kProducts: a
// group of wgmmas of the warpgroup ends before its stores. kSend: one thread sends the tile behind the barrier, and the
// next round does not wait for it.
constexpr int kApart = 6;
template <bool kFence, bool kProducts, bool kSend>
__global__ void __launch_bounds__(kThreads) rounds_apart(unsigned idle, char* global, unsigned* cycles) {
#ifdef TILESCOPE_SM90A
  const unsigned group = threadIdx.x / 128;
  const unsigned shared = aligned_shared();
  const unsigned to = shared + 32768 + threadIdx.x / 32 * 1024;
  for (unsigned i = 4 * threadIdx.x; i < kSharedBytes - 1024; i += 4 * blockDim.x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + i), "r"(0) : "memory");
  }
  fence_async();
  __syncthreads();
  unsigned seen[kApart];
  unsigned sums[32] = {};
#pragma unroll
  for (int round = 0; round < kApart; ++round) {
    const unsigned since = clock_now(shared);
    while (clock_now(shared) - since < idle) {
    }
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    if constexpr (kProducts) {
      const unsigned long long b = Layout{128, true}.descriptor() + shared / 16;
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        wgmma<Input::kF16, 64, false, false>(sums, b + 2 * i, b + 512 + 2 * i);
      }
      wgmma_commit();
      wgmma_wait<0>();
    }
    store_matrices(to + threadIdx.x % 32 * 16, sums[0]);
    store_matrices(to + 512 + threadIdx.x % 32 * 16, sums[1]);
    const unsigned start = clock_now(shared);
    if constexpr (kFence) {
      fence_async();
    }
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    seen[round] = clock_now(shared) - start;
    if constexpr (kSend) {
      if (threadIdx.x % 128 == 0) {
        bulk_store(global + group * 4096, to, 4096);
        bulk_commit();
      }
    }
  }
  if (kSend && threadIdx.x % 128 == 0) {
    bulk_wait<0>();
  }
  if (threadIdx.x == 0) {
    for (int round = 0; round < kApart; ++round) {
      cycles[round] = seen[round];
    }
  }
#endif
}

template <Until kUntil, int kWarps, int kBytes>
__global__ void __launch_bounds__(128) probe_send_and_exit(char* global) {
#ifdef TILESCOPE_SM90A
  const unsigned shared = aligned_shared();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    store_16(shared + (threadIdx.x / 32 * 4 + i) * 512 + threadIdx.x % 32 * 16, threadIdx.x);
  }
  fence_async();
  meet(128);
  if constexpr (kUntil != Until::kNothing) {
    if (threadIdx.x % 32 == 0 && threadIdx.x / 32 < kWarps) {
      bulk_store(global + blockIdx.x * 8192 + threadIdx.x / 32 * 2048, shared + threadIdx.x / 32 * 2048, kBytes);
      bulk_commit();
      if constexpr (kUntil == Until::kRead) {
        bulk_wait_read<0>();
      } else if constexpr (kUntil == Until::kComplete) {
        bulk_wait<0>();
      }
    }
  }
#endif
}

struct Outcome {
  Recorder<char> global{2 << 20};
  Recorder<unsigned> cycles{8};
};

template <int kStores, Fence kFence, Until kUntil>
void ask(Report& report, const Outcome& to, int warps, bool loads, const char* question, const char* what) {
  const auto kernel = pass_fence<kStores, kFence, kUntil>;
  allow_shared_memory(kernel, kSharedBytes);
  kernel<<<1, kThreads, kSharedBytes>>>(warps, loads, to.global.device(), to.cycles.device());
  finish("async_fence");
  report.scalar("async_fence",
                std::string("question=") + question + ";stores=" + std::to_string(kStores) +
                    ";warps=" + std::to_string(warps) + (loads ? ";beside=loads" : "") + what,
                "cycles", static_cast<double>(to.cycles.host()[0]) / kRounds, "cycle");
}

template <int kStores>
void ask(Report& report, const Outcome& to) {
  for (const int warps : {1, 4}) {
    for (const bool loads : {false, true}) {
      ask<kStores, Fence::kNo, Until::kNothing>(report, to, warps, loads, "fence", ";fence=no");
      ask<kStores, Fence::kYes, Until::kNothing>(report, to, warps, loads, "fence", ";fence=yes");
      ask<kStores, Fence::kTwice, Until::kNothing>(report, to, warps, loads, "fence", ";fence=twice");
    }
    if constexpr (kStores > 0) {
      ask<kStores, Fence::kYes, Until::kSent>(report, to, warps, false, "send", ";until=sent");
      ask<kStores, Fence::kYes, Until::kRead>(report, to, warps, false, "send", ";until=read");
      ask<kStores, Fence::kYes, Until::kComplete>(report, to, warps, false, "send", ";until=complete");
    }
  }
}

template <Store kStore, bool kFence>
void steps(Report& report, const Outcome& to) {
  allow_shared_memory(send_steps<kStore, kFence>, kSharedBytes);
  for (const int warps : {1, 4, 8}) {
    send_steps<kStore, kFence><<<1, 32 * warps, kSharedBytes>>>(to.global.device(), to.cycles.device());
    finish("async_fence");
    const std::vector<unsigned> seen = to.cycles.host();
    for (int step = 0; step < kSteps; ++step) {
      report.scalar("async_fence",
                    std::string("question=steps;store=") + kStoreNames[static_cast<int>(kStore)] + ";warps=" +
                        std::to_string(warps) + ";fence=" + (kFence ? "yes" : "no") + ";step=" + std::to_string(step),
                    "cycles", seen[step], "cycle");
    }
  }
}

template <bool kFence, bool kProducts, bool kSend>
void apart(Report& report, const Outcome& to) {
  const auto kernel = rounds_apart<kFence, kProducts, kSend>;
  allow_shared_memory(kernel, kSharedBytes);
  for (const int groups : {1, 2}) {
    for (const unsigned idle : {0U, 500U, 5000U}) {
      kernel<<<1, 128 * groups, kSharedBytes>>>(idle, to.global.device(), to.cycles.device());
      finish("async_fence");
      const std::vector<unsigned> seen = to.cycles.host();
      for (int round = 0; round < kApart; ++round) {
        report.scalar("async_fence",
                      "question=apart;groups=" + std::to_string(groups) + ";idle=" + std::to_string(idle) +
                          ";products=" + (kProducts ? "yes" : "no") + ";send=" + (kSend ? "yes" : "no") +
                          ";fence=" + (kFence ? "yes" : "no") + ";round=" + std::to_string(round),
                      "cycles", seen[round], "cycle");
      }
    }
  }
}

template <Until kUntil, int kWarps, int kBytes>
void launch(Report& report, const Outcome& to, const char* send) {
  const auto kernel = probe_send_and_exit<kUntil, kWarps, kBytes>;
  allow_shared_memory(kernel, kSharedBytes);
  for (const int ctas : {1, 132}) {
    report.launch("async_fence", std::string("question=exit;send=") + send + ";warps=" + std::to_string(kWarps) +
                                     ";bytes=" + std::to_string(kBytes) + ";ctas=" + std::to_string(ctas));
    kernel<<<ctas, 128, kSharedBytes>>>(to.global.device());
    finish("async_fence");
  }
}

}  // namespace

void async_fence(Report& report) {
  if (!has_hopper("async_fence")) {
    return;
  }
  const Outcome to;
  ask<0>(report, to);
  ask<1>(report, to);
  ask<2>(report, to);
  ask<4>(report, to);
  ask<8>(report, to);
  steps<Store::k16, false>(report, to);
  steps<Store::k16, true>(report, to);
  steps<Store::kMatrices, false>(report, to);
  steps<Store::kMatrices, true>(report, to);
  steps<Store::kTransposed, false>(report, to);
  steps<Store::kTransposed, true>(report, to);
  apart<false, false, false>(report, to);
  apart<true, false, false>(report, to);
  apart<false, true, false>(report, to);
  apart<true, true, false>(report, to);
  apart<true, false, true>(report, to);
  apart<true, true, true>(report, to);
  launch<Until::kNothing, 1, 8192>(report, to, "none");
  launch<Until::kSent, 1, 8192>(report, to, "exit");
  launch<Until::kSent, 1, 2048>(report, to, "exit");
  launch<Until::kSent, 1, 256>(report, to, "exit");
  launch<Until::kSent, 4, 2048>(report, to, "exit");
  launch<Until::kRead, 1, 8192>(report, to, "read");
  launch<Until::kRead, 4, 2048>(report, to, "read");
  launch<Until::kComplete, 1, 8192>(report, to, "complete");
  launch<Until::kComplete, 4, 2048>(report, to, "complete");
}

}  // namespace tilescope::gpu
