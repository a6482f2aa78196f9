// Rate and latency of wgmma.mma_async on one SM: by type and n, A from shared memory or from registers, warpgroups,
// swizzle and which index of an operand is contiguous. Warpgroups have an A of their own and share B.
//   time=stream: groups of 8, of which the next is issued while the last one runs.
//     cycles_per_instruction: of one warpgroup. multiply_adds: per cycle of the SM.
//   time=group;chained=C: C wgmmas on the same sums, commit, wait for them; cycles_per_group: of one warpgroup.
#include "../common/wgmma.cuh"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kUnroll = 8;
constexpr int kSharedBytes = 200 * 1024;
[[maybe_unused]] constexpr int kMostTileBytes = 32 * 1024;  // B: 256 rows of 128 bytes

struct Operands {
  Layout a;
  Layout b;
  int a_bytes;  // of a warpgroup's tile
};

// One address step of K is 32 bytes of a row, as in a GEMM; a row of swizzle_bytes holds one, two or four of them.
[[maybe_unused]] __device__ int k_step(const Layout& layout, int i) {
  const int steps = layout.k_major && layout.swizzle_bytes > 32 ? layout.swizzle_bytes / 32 : 1;
  return i % steps * 32 / 16;
}

template <Input kInput, int kN, bool kRegisters, bool kTransposeA, bool kTransposeB, int kChained>
__global__ void multiply(unsigned long long a_descriptor, unsigned long long b_descriptor, Operands operands, int sm,
                         int* claims, int* cycles, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const unsigned shared = aligned_shared();
  for (int i = threadIdx.x; i < (kMostTileBytes + blockDim.x / 128 * operands.a_bytes) / 4; i += blockDim.x) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared + 4 * i), "r"(0) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int warpgroup = __shfl_sync(0xffffffffU, threadIdx.x / 128, 0);
  unsigned long long a[4];
  unsigned long long b[4];
  for (int i = 0; i < 4; ++i) {
    a[i] = a_descriptor + (shared + kMostTileBytes + warpgroup * operands.a_bytes) / 16 + k_step(operands.a, i);
    b[i] = b_descriptor + shared / 16 + k_step(operands.b, i);
  }
  unsigned in_registers[4];
  for (int i = 0; i < 4; ++i) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(in_registers[i]) : "r"(shared));  // no known zero
  }
  const auto one = [&](unsigned(&sums)[kN / 2], int i) {
    if constexpr (kRegisters) {
      wgmma<kInput, kN, kTransposeB>(sums, in_registers, b[i % 4]);
    } else {
      wgmma<kInput, kN, kTransposeA, kTransposeB>(sums, a[i % 4], b[i % 4]);
    }
  };
  unsigned sums[kN / 2] = {};
  __shared__ Span span;
  begin_span(span);
  const unsigned start = clock_now();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < (kChained == 0 ? kUnroll : kChained); ++i) {
      one(sums, i);
    }
    wgmma_commit();
    wgmma_wait<kChained == 0 ? 1 : 0>();
  }
  wgmma_wait<0>();
  const unsigned stop = clock_now();
  unsigned sum = 0;
  for (const unsigned word : sums) {
    sum ^= word;
  }
  sink[threadIdx.x] = sum;
  end_span(span, start, stop, cycles);
#endif
}

template <Input kInput, int kN, bool kRegisters, bool kKMajorA = true, bool kKMajorB = true, int kChained = 0>
void measure(Report& report, int swizzle_bytes, int warpgroups) {
  const auto kernel = multiply<kInput, kN, kRegisters, !kKMajorA, !kKMajorB, kChained>;
  const Layout a{swizzle_bytes, kKMajorA};
  const Layout b{swizzle_bytes, kKMajorB};
  allow_shared_memory(kernel, kSharedBytes);
  if (!fits(kernel, 128 * warpgroups, kSharedBytes)) {
    return;  // the sums of so many warpgroups need more registers than there are
  }
  Recorder<int> claims(1);
  Recorder<int> cycles(1);
  const Recorder<unsigned> sink(512);
  for (int pass = 0; pass < 2; ++pass) {  // the first one fills the instruction caches
    claims.clear();
    kernel<<<4 * sm_count(), 128 * warpgroups, kSharedBytes>>>(a.descriptor(), b.descriptor(),
                                                               Operands{a, b, a.tile_bytes(64)}, 0, claims.device(),
                                                               cycles.device(), sink.device());
    finish("multiply");
  }
  const std::string operands = std::string("type=") + name_of(kInput) + ";n=" + std::to_string(kN) + ";a=" +
                               (kRegisters ? "registers"
                                : kKMajorA ? "k_major"
                                           : "m_major") +
                               ";b=" + (kKMajorB ? "k_major" : "n_major") +
                               ";swizzle=" + (swizzle_bytes == 16 ? "none" : std::to_string(swizzle_bytes)) +
                               ";warpgroups=" + std::to_string(warpgroups);
  const double measured = cycles.host()[0];
  if (kChained != 0) {
    report.scalar("wgmma", "time=group;chained=" + std::to_string(kChained) + ";" + operands, "cycles_per_group",
                  measured / kRounds, "cycle");
    return;
  }
  const double instructions = kRounds * kUnroll;
  report.scalar("wgmma", "time=stream;" + operands, "cycles_per_instruction", measured / instructions, "cycle");
  report.scalar("wgmma", "time=stream;" + operands, "multiply_adds",
                instructions * warpgroups * 64 * kN * k_of(kInput) / measured, "1/cycle");
}

// Every number of warpgroups with the widest swizzle; every swizzle with one and two warpgroups.
template <Input kInput, int kN, bool kRegisters, bool kKMajorA = true, bool kKMajorB = true>
void stream(Report& report) {
  for (const int warpgroups : {1, 2, 3, 4}) {
    for (const int swizzle_bytes : {16, 32, 64, 128}) {
      if (swizzle_bytes == 128 || warpgroups <= 2) {
        measure<kInput, kN, kRegisters, kKMajorA, kKMajorB>(report, swizzle_bytes, warpgroups);
      }
    }
  }
}

template <Input kInput, int... kN>
void measure_type(Report& report) {
  (stream<kInput, kN, false>(report), ...);
  (stream<kInput, kN, true>(report), ...);
}

template <Input kInput, bool kRegisters, int... kN>
void measure_groups(Report& report) {
  (measure<kInput, kN, kRegisters, true, true, 1>(report, 128, 1), ...);
  (measure<kInput, kN, kRegisters, true, true, 2>(report, 128, 1), ...);
  (measure<kInput, kN, kRegisters, true, true, 4>(report, 128, 1), ...);
  (measure<kInput, kN, kRegisters, true, true, 8>(report, 128, 1), ...);
}

// Halves with B, A and both transposed.
template <int... kN>
void measure_transposed(Report& report) {
  (stream<Input::kF16, kN, false, true, false>(report), ...);
  (stream<Input::kF16, kN, false, false, true>(report), ...);
  (stream<Input::kF16, kN, false, false, false>(report), ...);
  (stream<Input::kF16, kN, true, true, false>(report), ...);
}

}  // namespace

void wgmma(Report& report) {
  if (!has_hopper("wgmma")) {
    return;
  }
  measure_type<Input::kF16, 8, 16, 32, 64, 128, 192, 256>(report);
  measure_type<Input::kBf16, 64, 128, 256>(report);
  measure_type<Input::kTf32, 8, 16, 32, 64, 128, 192, 256>(report);
  measure_type<Input::kE4m3, 8, 16, 32, 64, 128, 192, 256>(report);
  measure_type<Input::kS8, 8, 16, 32, 64, 128, 192, 256>(report);
  measure_transposed<64, 128, 256>(report);
  measure_groups<Input::kF16, false, 8, 64, 128, 256>(report);
  measure_groups<Input::kF16, true, 8, 64, 128, 256>(report);
  measure_groups<Input::kTf32, false, 8, 128>(report);
  measure_groups<Input::kE4m3, false, 8, 128>(report);
  measure_groups<Input::kS8, false, 8, 128>(report);
}

}  // namespace tilescope::gpu
