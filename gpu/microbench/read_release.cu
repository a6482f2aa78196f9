// When may an instruction overwrite a register that a memory access reads? Cycles from the clock before an access to
// the one behind an addition, of a lone warp:
//   overwrites=address, data: the addition changes the register of the access that it is named for
//   overwrites=nothing:       another register; what is above it, the addition has waited for
//   behind=n:                 n loads of shared memory of 32 wavefronts each have been issued before the first clock
// The second clock waits for the addition. cuobjdump -sass shows whether the assembler adds in place, and the stall
// counts between the clocks.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kBanks = 32;

enum class Kind { kLdg, kLds, kStg, kSts };
enum class Overwrites { kNothing, kAddress, kData };

template <Kind kKind>
constexpr bool kShared = kKind == Kind::kLds || kKind == Kind::kSts;
template <Kind kKind>
constexpr bool kLoad = kKind == Kind::kLdg || kKind == Kind::kLds;

template <int kWords>
struct Words {
  unsigned of[kWords];
};

// An access of kWords words by each lane, at `global` or `shared`.
template <Kind kKind, int kWords>
__device__ void access(const void* global, unsigned shared, Words<kWords>& v) {
  if constexpr (kKind == Kind::kLdg && kWords == 1) {
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v.of[0]) : "l"(global) : "memory");
  } else if constexpr (kKind == Kind::kLdg && kWords == 2) {
    asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(v.of[0]), "=r"(v.of[1]) : "l"(global) : "memory");
  } else if constexpr (kKind == Kind::kLdg) {
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.of[0]), "=r"(v.of[1]), "=r"(v.of[2]), "=r"(v.of[3])
                 : "l"(global)
                 : "memory");
  } else if constexpr (kKind == Kind::kLds && kWords == 1) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v.of[0]) : "r"(shared) : "memory");
  } else if constexpr (kKind == Kind::kLds && kWords == 2) {
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.of[0]), "=r"(v.of[1]) : "r"(shared) : "memory");
  } else if constexpr (kKind == Kind::kLds) {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.of[0]), "=r"(v.of[1]), "=r"(v.of[2]), "=r"(v.of[3])
                 : "r"(shared)
                 : "memory");
  } else if constexpr (kKind == Kind::kStg && kWords == 1) {
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(global), "r"(v.of[0]) : "memory");
  } else if constexpr (kKind == Kind::kStg && kWords == 2) {
    asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(global), "r"(v.of[0]), "r"(v.of[1]) : "memory");
  } else if constexpr (kKind == Kind::kStg) {
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(global), "r"(v.of[0]), "r"(v.of[1]),
                 "r"(v.of[2]), "r"(v.of[3])
                 : "memory");
  } else if constexpr (kWords == 1) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(shared), "r"(v.of[0]) : "memory");
  } else if constexpr (kWords == 2) {
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(shared), "r"(v.of[0]), "r"(v.of[1]) : "memory");
  } else {
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(v.of[0]), "r"(v.of[1]),
                 "r"(v.of[2]), "r"(v.of[3])
                 : "memory");
  }
}

// `zero` is 0, which the compiler does not know.
template <Kind kKind, int kWords, Overwrites kOverwrites, int kBehind>
__global__ void release(float* data, long long zero, int* cycles, unsigned* sink) {
  __shared__ alignas(16) float words[kBanks * 32];
  char* global = reinterpret_cast<char*>(data + threadIdx.x * kWords);
  unsigned shared = shared_address(&words[threadIdx.x * kWords]);
  const unsigned one_bank = shared_address(&words[threadIdx.x * kBanks]);
  for (int i = 0; i < kBanks; ++i) {
    words[i * 32 + threadIdx.x] = 0;
  }
  const auto small = static_cast<unsigned>(zero);
  Words<kWords> v{};
  Words<1> before[kBehind + 1] = {};
  unsigned other = threadIdx.x;
  unsigned total = 0;
  for (int i = 0; i < kWords; ++i) {
    v.of[i] = small * i;
  }
#pragma unroll 1
  for (int round = 0; round < 2 * kRounds; ++round) {  // the first half brings code and data into the caches
    unsigned last = total;                             // so that nothing is on its way when a round begins
    for (int i = 0; i < kWords; ++i) {
      last |= kLoad<kKind> ? v.of[i] : 0;
    }
    for (int i = 0; i < kBehind; ++i) {
      last |= before[i].of[0];
    }
    const unsigned gate = clock_now(last);
    for (int i = 0; i < kBehind; ++i) {
      access<Kind::kLds, 1>(nullptr, one_bank + (gate == ~0U ? 4U : 0U), before[i]);
    }
    const unsigned begin = clock_now(gate);
    access<kKind, kWords>(global, shared, v);
    unsigned end = 0;
    if constexpr (kOverwrites == Overwrites::kNothing) {
      other += small;
      end = clock_now(other);
    } else if constexpr (kOverwrites == Overwrites::kData) {
      v.of[kWords - 1] += small;
      end = clock_now(v.of[kWords - 1]);
    } else if constexpr (kShared<kKind>) {
      shared += small;
      end = clock_now(shared);
    } else {
      global += zero;
      end = clock_now(static_cast<unsigned>(reinterpret_cast<unsigned long long>(global)));
    }
    if (round >= kRounds) {
      total += end - begin;
    }
  }
  unsigned sum = other + shared;
  for (int i = 0; i < kWords; ++i) {
    sum += v.of[i];
  }
  for (int i = 0; i < kBehind; ++i) {
    sum += before[i].of[0];
  }
  sink[threadIdx.x] = sum;
  if (threadIdx.x == 0) {
    *cycles = static_cast<int>(total);
  }
}

template <Kind kKind, int kWords, Overwrites kOverwrites, int kBehind>
void measure(Report& report, const char* kind, const char* overwrites) {
  const Recorder<int> cycles(1);
  const Recorder<unsigned> sink(32);
  const Recorder<float> data(32 * 4);
  release<kKind, kWords, kOverwrites, kBehind><<<1, 32>>>(data.device(), 0, cycles.device(), sink.device());
  finish("read_release");
  report.scalar("read_release",
                std::string("access=") + kind + ";bytes=" + std::to_string(4 * kWords) + ";overwrites=" + overwrites +
                    ";behind=" + std::to_string(kBehind),
                "until_clock", static_cast<double>(cycles.host()[0]) / kRounds, "cycle");
}

template <Kind kKind, int kWords, int kBehind>
void measure_width(Report& report, const char* kind) {
  measure<kKind, kWords, Overwrites::kNothing, kBehind>(report, kind, "nothing");
  measure<kKind, kWords, Overwrites::kAddress, kBehind>(report, kind, "address");
  if constexpr (!kLoad<kKind>) {
    measure<kKind, kWords, Overwrites::kData, kBehind>(report, kind, "data");
  }
}

template <Kind kKind>
void measure_kind(Report& report, const char* kind) {
  measure_width<kKind, 1, 0>(report, kind);
  measure_width<kKind, 2, 0>(report, kind);
  measure_width<kKind, 4, 0>(report, kind);
  measure_width<kKind, 1, 2>(report, kind);
  measure_width<kKind, 1, 6>(report, kind);
  measure_width<kKind, 4, 6>(report, kind);
}

}  // namespace

void read_release(Report& report) {
  measure_kind<Kind::kLdg>(report, "ldg");
  measure_kind<Kind::kLds>(report, "lds");
  measure_kind<Kind::kStg>(report, "stg");
  measure_kind<Kind::kSts>(report, "sts");
}

}  // namespace tilescope::gpu
