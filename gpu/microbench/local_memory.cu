// Local memory, and generic addresses: latency of a chain of loads by footprint, of a store read back; cycles per
// instruction of one SM by footprint and width. A lane's word k and its neighbours' words k make one 128-byte line.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 256;
constexpr int kWords = 16384;  // of a lane: lines of its warp

// Word k holds the offset of the next: a chain through `words` words, twice, at least 256 steps; the second time is
// measured.
__global__ void chase_local(int words, int steps, int sm, int* claims, int* result) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  int a[kWords];
  const std::uint64_t base = __cvta_generic_to_local(a);
  for (int k = 0; k < words; ++k) {
    asm volatile("st.local.u32 [%0], %1;" ::"l"(base + 4 * k), "r"((k + 1) % words * 4) : "memory");
  }
  unsigned offset = 0;
  for (int k = 0; k < words; ++k) {
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(offset) : "l"(base + offset) : "memory");
  }
  const unsigned start = clock_now();
#pragma unroll 16
  for (int k = 0; k < steps; ++k) {
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(offset) : "l"(base + offset) : "memory");
  }
  const unsigned stop = clock_now();
  result[0] = static_cast<int>(stop - start);
  result[1] = static_cast<int>(offset);
}

// Store, load back, the value loaded is the address of the next store. `zero` keeps the compiler from knowing that both
// addresses are one.
template <int kSpace>
__global__ void store_and_load(unsigned* words, int zero, int sm, int* claims, int* result) {
  __shared__ unsigned mine[32];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  unsigned own[32];
  std::uint64_t address = kSpace == 0   ? __cvta_generic_to_local(own)
                          : kSpace == 1 ? __cvta_generic_to_shared(mine)
                                        : __cvta_generic_to_global(words);
  unsigned start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    start = clock_now();
#pragma unroll 16
    for (int k = 0; k < kSteps; ++k) {
      unsigned v = static_cast<unsigned>(address) & 0;
      if (kSpace == 0) {
        asm volatile("st.local.u32 [%0], %1;" ::"l"(address), "r"(v) : "memory");
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "l"(address + zero) : "memory");
      } else if (kSpace == 1) {
        asm volatile("st.shared.u32 [%0], %1;" ::"l"(address), "r"(v) : "memory");
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "l"(address + zero) : "memory");
      } else {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(v) : "memory");
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(address + zero) : "memory");
      }
      address += v;
    }
  }
  const unsigned stop = clock_now();
  result[0] = static_cast<int>(stop - start);
  result[1] = static_cast<int>(address);
}

// Generic loads that follow a pointer to itself, or the same in the space itself.
template <bool kGeneric, int kSpace>
__global__ void chase_space(int space, unsigned long long* words, int sm, int* claims, int* result) {
  __shared__ unsigned long long mine[32];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  unsigned long long own[4];
  unsigned long long* const p = space == 0 ? own : space == 1 ? mine + threadIdx.x : words + threadIdx.x;
  std::uint64_t address = reinterpret_cast<std::uint64_t>(p);
  if (!kGeneric) {
    address = space == 0   ? __cvta_generic_to_local(p)
              : space == 1 ? __cvta_generic_to_shared(p)
                           : __cvta_generic_to_global(p);
  }
  asm volatile("st.u64 [%0], %1;" ::"l"(p), "l"(address) : "memory");
  __syncthreads();
  unsigned start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    start = clock_now();
#pragma unroll 16
    for (int k = 0; k < kSteps; ++k) {
      if (kGeneric) {
        asm volatile("ld.u64 %0, [%0];" : "+l"(address)::"memory");
      } else if (kSpace == 0) {
        asm volatile("ld.local.u64 %0, [%0];" : "+l"(address)::"memory");
      } else if (kSpace == 1) {
        asm volatile("ld.shared.u64 %0, [%0];" : "+l"(address)::"memory");
      } else {
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(address)::"memory");
      }
    }
  }
  const unsigned stop = clock_now();
  if (threadIdx.x == 0) {
    result[0] = static_cast<int>(stop - start);
  }
  result[1 + threadIdx.x] = static_cast<int>(address);
}

enum class Stream { loads, stores, both };

template <Stream kStream, int kWidth>
__global__ void __launch_bounds__(1024)
    stream(int words, int passes, int sm, int* claims, int* cycles, unsigned* sink) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  int a[1024];
  const std::uint64_t base = __cvta_generic_to_local(a);
  unsigned sum = 0;
  __shared__ Span span;
  unsigned start = 0, stop = 0;
  for (int pass = 0; pass <= passes; ++pass) {  // the first fills L1
    if (pass == 1) {
      begin_span(span);
      start = clock_now();
    }
    for (int k = 0; k < words; k += 8) {
      unsigned v[8] = {};
      if (kStream != Stream::loads || pass == 0) {
#pragma unroll
        for (int j = 0; j < 8; j += kWidth / 4) {
          if constexpr (kWidth == 4) {
            asm volatile("st.local.u32 [%0], %1;" ::"l"(base + 4 * (k + j)), "r"(pass) : "memory");
          } else {
            asm volatile("st.local.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(base + 4 * (k + j)), "r"(pass) : "memory");
          }
        }
      }
      if (kStream != Stream::stores) {
#pragma unroll
        for (int j = 0; j < 8; j += kWidth / 4) {
          if constexpr (kWidth == 4) {
            asm volatile("ld.local.u32 %0, [%1];" : "=r"(v[j]) : "l"(base + 4 * (k + j)) : "memory");
          } else {
            asm volatile("ld.local.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[j]), "=r"(v[j + 1]), "=r"(v[j + 2]), "=r"(v[j + 3])
                         : "l"(base + 4 * (k + j))
                         : "memory");
          }
        }
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          sum += v[j];
        }
      }
    }
  }
  asm volatile("" ::"r"(sum) : "memory");
  stop = clock_now();
  if (sum == 12345) {
    *sink = sum;
  }
  end_span(span, start, stop, cycles);
}

template <Stream kStream, int kWidth>
void measure(Report& report, const char* name) {
  const Recorder<unsigned> sink(1);
  for (const int warps : {1, 4, 8, 16, 32}) {
    for (const int kib : {1, 8, 32, 64, 128, 160, 192, 224, 256, 384, 512, 1024}) {
      const int words = kib * 8 / warps;  // 128 bytes for each word of a warp
      if (words < 8 || words > 1024) {
        continue;
      }
      constexpr int kPasses = 4;
      Recorder<int> claims(1);
      Recorder<int> cycles(1);
      stream<kStream, kWidth>
          <<<4 * sm_count(), 32 * warps>>>(words, kPasses, 0, claims.device(), cycles.device(), sink.device());
      finish("stream");
      const double instructions = static_cast<double>(words / 8 * 8) * 4 / kWidth * kPasses * warps;
      report.scalar("local_memory",
                    std::string("op=") + name + ";bits=" + std::to_string(8 * kWidth) +
                        ";warps=" + std::to_string(warps) + ";kib=" + std::to_string(kib),
                    "cycles_per_instruction", cycles.host()[0] / instructions, "cycle");
    }
  }
}

void chain(Report& report, const std::string& the_case, int cycles) {
  report.scalar("local_memory", the_case, "latency", static_cast<double>(cycles) / kSteps, "cycle");
}

template <int kSpace>
void chains_of_space(Report& report) {
  const Recorder<unsigned long long> words(64);
  const char* const spaces[] = {"local", "shared", "global"};
  Recorder<int> result(33);
  Recorder<int> claims(1);
  const int ctas = 4 * sm_count();
  store_and_load<kSpace>
      <<<ctas, 1>>>(reinterpret_cast<unsigned*>(words.device()), 0, 0, claims.device(), result.device());
  finish("store_and_load");
  chain(report, std::string("chain=store_and_load;space=") + spaces[kSpace], result.host()[0]);
  for (const int lanes : {1, 32}) {
    const std::string the_case = std::string(";space=") + spaces[kSpace] + ";lanes=" + std::to_string(lanes);
    claims.clear();
    chase_space<true, kSpace><<<ctas, lanes>>>(kSpace, words.device(), 0, claims.device(), result.device());
    finish("chase_space");
    chain(report, "chain=generic" + the_case, result.host()[0]);
    claims.clear();
    chase_space<false, kSpace><<<ctas, lanes>>>(kSpace, words.device(), 0, claims.device(), result.device());
    finish("chase_space");
    chain(report, "chain=own" + the_case, result.host()[0]);
  }
}

}  // namespace

void local_memory(Report& report) {
  Recorder<int> result(33);
  Recorder<int> claims(1);
  const int ctas = 4 * sm_count();
  for (const int count : {4, 64, 512, 1024, 1280, 1408, 1536, 1664, 1792, 1920, 2048, 2560, 4096, 16384}) {
    claims.clear();
    const int steps = std::max(count, kSteps);
    chase_local<<<ctas, 1>>>(count, steps, 0, claims.device(), result.device());
    finish("chase_local");
    report.scalar("local_memory", "chain=ldl;lines=" + std::to_string(count), "latency",
                  static_cast<double>(result.host()[0]) / steps, "cycle");
  }
  chains_of_space<0>(report);
  chains_of_space<1>(report);
  chains_of_space<2>(report);
  measure<Stream::loads, 4>(report, "ldl");
  measure<Stream::loads, 16>(report, "ldl");
  measure<Stream::stores, 4>(report, "stl");
  measure<Stream::stores, 16>(report, "stl");
  measure<Stream::both, 4>(report, "stl_ldl");
}

}  // namespace tilescope::gpu
