// What loads and stores of other warps get through while wgmmas read shared memory, and what they cost the wgmmas.
// One warpgroup multiplies halves (n = 64, 128, 256; A from shared memory or registers), `warps` others load or store
// conflict-free until it has ended.
//   multiply_adds: of the wgmmas, per cycle of the SM. accesses: of the other warps, bytes per cycle of the SM.
//   access=none: the wgmmas alone; n=0: the other warps alone.
#include <algorithm>

#include "../common/wgmma.cuh"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 256;
constexpr int kUnroll = 8;
[[maybe_unused]] constexpr int kAccesses = 32;             // between two looks at whether the wgmmas have ended
[[maybe_unused]] constexpr unsigned kAloneCycles = 20000;  // how long the other warps run alone
[[maybe_unused]] constexpr int kMostRounds = 1 << 16;
constexpr int kSharedBytes = 200 * 1024;
[[maybe_unused]] constexpr int kMostTileBytes = 32 * 1024;
[[maybe_unused]] constexpr int kAccessedAt = 64 * 1024;  // behind both operands

enum class Access { kNone, kLoad32, kLoad128, kStore32, kStore128 };
constexpr const char* kAccessNames[] = {"none", "ld.32", "ld.128", "st.32", "st.128"};
constexpr int kAccessBytes[] = {0, 128, 512, 128, 512};

struct Result {
  int cycles;    // of the wgmmas
  int accesses;  // of all other warps
  int window;    // the longest time that one of them took for its own
  int unended;   // warps that ran into kMostRounds
};

#ifdef TILESCOPE_SM90A
template <Access kAccess>
__device__ void access(unsigned address) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if constexpr (kAccess == Access::kLoad32) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
  } else if constexpr (kAccess == Access::kLoad128) {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
  } else if constexpr (kAccess == Access::kStore32) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(a) : "memory");
  } else if constexpr (kAccess == Access::kStore128) {
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
}
#endif

template <int kN, bool kRegisters, Access kAccess>
__global__ void __launch_bounds__(384, 1)
    contend(unsigned long long descriptor, int k_steps, int sm, int* claims, Result* result, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  __shared__ unsigned ended;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  for (unsigned i = 4 * threadIdx.x; i < kAccessedAt + 8 * 512; i += 4 * blockDim.x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + i), "r"(0) : "memory");
  }
  ended = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 128) {
    if constexpr (kN != 0) {
      unsigned sums[kN / 2] = {};
      unsigned long long a[4];
      unsigned long long b[4];
      for (int i = 0; i < 4; ++i) {
        b[i] = descriptor + shared / 16 + i % k_steps * 2;
        a[i] = b[i] + kMostTileBytes / 16;
      }
      unsigned in_registers[4];
      for (int i = 0; i < 4; ++i) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(in_registers[i]) : "r"(shared));  // no known zero
      }
      const unsigned start = clock_now();
#pragma unroll 1
      for (int round = 0; round < kRounds; ++round) {
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
          if constexpr (kRegisters) {
            wgmma<Input::kF16, kN, false>(sums, in_registers, b[i % 4]);
          } else {
            wgmma<Input::kF16, kN, false, false>(sums, a[i % 4], b[i % 4]);
          }
        }
        wgmma_commit();
        wgmma_wait<1>();
      }
      wgmma_wait<0>();
      const unsigned stop = clock_now();
      unsigned sum = 0;
      for (const unsigned word : sums) {
        sum ^= word;
      }
      sink[threadIdx.x] = sum;
      if (threadIdx.x == 0) {
        result->cycles = static_cast<int>(stop - start);
      }
    } else {
      const unsigned start = clock_now();
      while (clock_now() - start < kAloneCycles) {
        __nanosleep(100);
      }
    }
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(shared_address(&ended)), "r"(1) : "memory");
  } else {
    const unsigned from = shared + kAccessedAt + (threadIdx.x / 32 % 8) * 512 +
                          threadIdx.x % 32 * (kAccess == Access::kLoad128 || kAccess == Access::kStore128 ? 16 : 4);
    int rounds = 0;
    unsigned seen = 0;
    const unsigned start = clock_now();
    while (seen == 0 && rounds < kMostRounds) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(seen) : "r"(shared_address(&ended)) : "memory");
#pragma unroll
      for (int i = 0; i < kAccesses; ++i) {
        access<kAccess>(from);
      }
      ++rounds;
    }
    const unsigned stop = clock_now();
    if (threadIdx.x % 32 == 0) {
      atomicAdd(&result->accesses, rounds * kAccesses);
      atomicMax(&result->window, static_cast<int>(stop - start));
      atomicAdd(&result->unended, rounds == kMostRounds ? 1 : 0);
    }
  }
#endif
}

template <int kN, bool kRegisters, Access kAccess>
void measure(Report& report, int swizzle_bytes, int warps) {
  const Layout layout{swizzle_bytes, true};
  const auto kernel = contend<kN, kRegisters, kAccess>;
  allow_shared_memory(kernel, kSharedBytes);
  Recorder<int> claims(1);
  Recorder<Result> result(1);
  const Recorder<unsigned> sink(128);
  const int k_steps = std::max(1, swizzle_bytes / 32);  // of 32 bytes, in a row of swizzle_bytes
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    result.clear();
    kernel<<<4 * sm_count(), 128 + 32 * warps, kSharedBytes>>>(layout.descriptor(), k_steps, 0, claims.device(),
                                                               result.device(), sink.device());
    finish("contend");
  }
  const Result measured = result.host()[0];
  if (measured.unended != 0) {
    throw std::runtime_error("contend: a warp did not see the wgmmas end");
  }
  const std::string the_case = "n=" + std::to_string(kN) + ";a=" + (kRegisters ? "registers" : "shared") +
                               ";swizzle=" + (swizzle_bytes == 16 ? "none" : std::to_string(swizzle_bytes)) +
                               ";access=" + kAccessNames[static_cast<int>(kAccess)] + ";warps=" + std::to_string(warps);
  if (kN != 0) {
    report.scalar("wgmma_shared", the_case, "multiply_adds",
                  static_cast<double>(kRounds) * kUnroll * 64 * kN * 16 / measured.cycles, "1/cycle");
  }
  if (warps != 0) {
    report.scalar("wgmma_shared", the_case, "accesses",
                  static_cast<double>(measured.accesses) * kAccessBytes[static_cast<int>(kAccess)] / measured.window,
                  "B/cycle");
  }
}

template <int kN, bool kRegisters>
void measure_accesses(Report& report, int swizzle_bytes) {
  if (kN != 0) {
    measure<kN, kRegisters, Access::kNone>(report, swizzle_bytes, 0);
  }
  for (const int warps : {4, 8}) {
    measure<kN, kRegisters, Access::kLoad32>(report, swizzle_bytes, warps);
    measure<kN, kRegisters, Access::kLoad128>(report, swizzle_bytes, warps);
    measure<kN, kRegisters, Access::kStore32>(report, swizzle_bytes, warps);
    measure<kN, kRegisters, Access::kStore128>(report, swizzle_bytes, warps);
  }
}

}  // namespace

void wgmma_shared(Report& report) {
  if (!has_hopper("wgmma_shared")) {
    return;
  }
  measure_accesses<0, true>(report, 128);
  for (const int swizzle_bytes : {16, 32, 64, 128}) {
    measure_accesses<64, false>(report, swizzle_bytes);
    measure_accesses<128, false>(report, swizzle_bytes);
    measure_accesses<256, false>(report, swizzle_bytes);
    measure_accesses<64, true>(report, swizzle_bytes);
    measure_accesses<128, true>(report, swizzle_bytes);
  }
}

}  // namespace tilescope::gpu
