// What copies into shared memory get through while wgmmas read it, and what they cost the wgmmas. One or two warpgroups
// multiply halves (n = 64, 128, 256; A from shared memory or registers); meanwhile other warps copy lines that L2 has.
//   copy=tma: one thread, boxes of 128 rows of 128 bytes, `in_flight` of them. copy=cg16: four warps, cp.async past L1,
//   16 bytes a lane, a warp's four rows of 128 bytes swizzled; copy=ca4: through L1, which has the lines, 4 bytes a
//   lane, a warp's 128 bytes contiguous; both with four groups of eight in flight.
//   multiply_adds: of the wgmmas, per cycle of the SM. copied: bytes per cycle of the SM.
//   n=0: the copies alone; copy=none: the wgmmas alone.
#include <algorithm>

#include "../common/tensor_map.h"
#include "../common/wgmma.cuh"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 512;
constexpr int kUnroll = 4;
[[maybe_unused]] constexpr unsigned kAloneCycles = 40000;
constexpr int kSharedBytes = 220 * 1024;
[[maybe_unused]] constexpr int kCopiedTo = 80 * 1024;  // behind two tiles of A and one of B
constexpr int kBoxBytes = 16 * 1024;
constexpr int kMostInFlight = 8;
constexpr int kRows = 8192;
constexpr int kColumns = 1024;

enum class Copy { kNone, kTensor, kPast16, kThrough4 };
constexpr const char* kCopyNames[] = {"none", "tma", "cg16", "ca4"};

struct Result {
  int cycles;  // of the slowest warpgroup
  int copied;  // bytes
  int window;  // the longest time that a copying warp took
};

__global__ void warm(const char* data, std::size_t bytes) {
  for (std::size_t i = 32 * (blockIdx.x * std::size_t{256} + threadIdx.x); i < bytes; i += 32 * 256 * gridDim.x) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i) : "memory");
  }
}

template <int kN, bool kRegisters, int kGroups, Copy kCopy>
__global__ void __launch_bounds__((kGroups + 1) * 128, 1)
    multiply_and_copy(const __grid_constant__ CUtensorMap map, const char* data, unsigned long long descriptor,
                      int in_flight, Result* result, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  __shared__ unsigned ended;
  __shared__ alignas(8) unsigned long long words[kMostInFlight];
  const unsigned shared = aligned_shared();
  for (unsigned i = 4 * threadIdx.x; i < 200 * 1024; i += 4 * blockDim.x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + i), "r"(0) : "memory");
  }
  const unsigned barriers = shared_address(words);
  if (threadIdx.x == 0) {
    ended = 0;
    for (int i = 0; i < kMostInFlight; ++i) {
      mbarrier_init(barriers + 8 * i, 1);
    }
    mbarrier_publish();
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  const unsigned start = clock_now();
  if (group < kGroups) {
    if constexpr (kN != 0) {
      unsigned sums[kN / 2] = {};
      const unsigned long long b = descriptor + shared / 16;
      const unsigned long long a = b + (32 * 1024 + group * 8 * 1024) / 16;
      unsigned in_registers[4];
      for (int i = 0; i < 4; ++i) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(in_registers[i]) : "r"(shared));  // no known zero
      }
#pragma unroll 1
      for (int round = 0; round < kRounds; ++round) {
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
          if constexpr (kRegisters) {
            wgmma<Input::kF16, kN, false>(sums, in_registers, b + 2 * i);
          } else {
            wgmma<Input::kF16, kN, false, false>(sums, a + 2 * i, b + 2 * i);
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
      if (threadIdx.x % 128 == 0) {
        atomicMax(&result->cycles, static_cast<int>(stop - start));
      }
    } else {
      while (clock_now() - start < kAloneCycles) {
        __nanosleep(100);
      }
    }
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(shared_address(&ended)), "r"(1) : "memory");
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned seen = 0;
  int copied = 0;
  if constexpr (kCopy == Copy::kTensor) {
    if (warp == 0 && lane == 0) {
      int row = 0;
      int column = 0;
      const auto issue = [&](int stage) {
        mbarrier_arrive_expect(barriers + 8 * stage, kBoxBytes);
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
            "[%4];" ::"r"(shared + kCopiedTo + stage * kBoxBytes),
            "l"(&map), "r"(column), "r"(row), "r"(barriers + 8 * stage)
            : "memory");
        column += 64;
        if (column == kColumns) {
          column = 0;
          row = (row + 128) % kRows;
        }
      };
      for (int i = 0; i < in_flight; ++i) {
        issue(i);
      }
      unsigned parity = 0;
      while (seen == 0) {
        for (int stage = 0; stage < in_flight; ++stage) {
          while (!mbarrier_try_wait(barriers + 8 * stage, parity)) {
          }
          copied += kBoxBytes;
          asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(seen) : "r"(shared_address(&ended)) : "memory");
          issue(stage);
        }
        parity ^= 1;
      }
      const unsigned stop = clock_now();
      for (int stage = 0; stage < in_flight; ++stage) {
        while (!mbarrier_try_wait(barriers + 8 * stage, parity)) {
        }
      }
      result->copied = copied;
      result->window = static_cast<int>(stop - start);
    }
  } else if constexpr (kCopy != Copy::kNone) {
    const unsigned to = shared + kCopiedTo + warp * 8 * 4 * 512;
    const std::size_t pitch = std::size_t{2} * kColumns;
    unsigned at = 0;
    while (seen == 0) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(seen) : "r"(shared_address(&ended)) : "memory");
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if constexpr (kCopy == Copy::kPast16) {
          const int row = (warp * 8 + i) * 4 + lane / 8;
          const unsigned place = to + (at % 4 * 8 + i) * 512 + (lane / 8) * 128 + ((lane % 8) ^ (row % 8)) * 16;
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place),
                       "l"(data + row * pitch + at % 16 * 128 + lane % 8 * 16)
                       : "memory");
        } else {
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + (at % 4 * 8 + i) * 128 + lane * 4),
                       "l"(data + (warp * 8 + i) * 128 + lane * 4)
                       : "memory");
        }
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      copied += 8 * (kCopy == Copy::kPast16 ? 512 : 128);
      ++at;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    const unsigned stop = clock_now();
    if (lane == 0) {
      atomicAdd(&result->copied, copied);
      atomicMax(&result->window, static_cast<int>(stop - start));
    }
  }
#endif
}

template <int kN, bool kRegisters, int kGroups, Copy kCopy>
void measure(Report& report, const Recorder<char>& data, const CUtensorMap& map, int in_flight) {
  const auto kernel = multiply_and_copy<kN, kRegisters, kGroups, kCopy>;
  allow_shared_memory(kernel, kSharedBytes);
  Recorder<Result> result(1);
  const Recorder<unsigned> sink(512);
  for (int pass = 0; pass < 2; ++pass) {
    warm<<<256, 256>>>(data.device(), std::size_t{2} * kRows * kColumns);
    result.clear();
    kernel<<<1, (kGroups + 1) * 128, kSharedBytes>>>(map, data.device(), Layout{128, true}.descriptor(), in_flight,
                                                     result.device(), sink.device());
    finish("multiply_and_copy");
  }
  const Result measured = result.host()[0];
  const std::string the_case = "n=" + std::to_string(kN) + ";a=" + (kRegisters ? "registers" : "shared") +
                               ";warpgroups=" + std::to_string(kGroups) +
                               ";copy=" + kCopyNames[static_cast<int>(kCopy)] +
                               ";in_flight=" + std::to_string(in_flight);
  if (kN != 0) {
    report.scalar("wgmma_copies", the_case, "multiply_adds",
                  static_cast<double>(kRounds) * kUnroll * kGroups * 64 * kN * 16 / measured.cycles, "1/cycle");
  }
  if (kCopy != Copy::kNone) {
    report.scalar("wgmma_copies", the_case, "copied", static_cast<double>(measured.copied) / measured.window,
                  "B/cycle");
  }
}

template <int kN, bool kRegisters, int kGroups>
void measure_copies(Report& report, const Recorder<char>& data, const CUtensorMap& map) {
  if constexpr (kN != 0) {
    measure<kN, kRegisters, kGroups, Copy::kNone>(report, data, map, 0);
  }
  for (const int in_flight : {1, 2, 4, 6}) {
    measure<kN, kRegisters, kGroups, Copy::kTensor>(report, data, map, in_flight);
  }
  measure<kN, kRegisters, kGroups, Copy::kPast16>(report, data, map, 4);
  measure<kN, kRegisters, kGroups, Copy::kThrough4>(report, data, map, 4);
}

}  // namespace

void wgmma_copies(Report& report) {
  if (!has_hopper("wgmma_copies")) {
    return;
  }
  const Recorder<char> data(std::size_t{2} * kRows * kColumns);
  const CUtensorMap map = matrix_map(data.device(), kRows, kColumns, 128, 64, 128);
  measure_copies<0, false, 1>(report, data, map);
  measure_copies<64, false, 1>(report, data, map);
  measure_copies<64, false, 2>(report, data, map);
  measure_copies<128, false, 1>(report, data, map);
  measure_copies<128, false, 2>(report, data, map);
  measure_copies<256, false, 1>(report, data, map);
  measure_copies<256, false, 2>(report, data, map);
  measure_copies<64, true, 1>(report, data, map);
  measure_copies<64, true, 2>(report, data, map);
  measure_copies<128, true, 1>(report, data, map);
  measure_copies<128, true, 2>(report, data, map);
}

}  // namespace tilescope::gpu
