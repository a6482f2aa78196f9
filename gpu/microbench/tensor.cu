// Rate and latency of mma.sync by type and shape: kChains accumulators a warp, 1 to 16 warps on one SM.
//   cycles_per_instruction: of one sub-partition; with one chain and one warp the latency of a dependent mma.sync.
//   multiply_adds: per cycle of the SM.
#include <cstdio>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "tensor_ops.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32;
constexpr int kUnroll = 8;

template <class Op, int kChains>
__global__ void __launch_bounds__(512) chains(unsigned seed, int sm, int* claims, int* cycles, unsigned* sink) {
  if constexpr (Op::kArchitecture <= kCompiledArchitecture) {
    if (claim_sm(sm, 1, claims) < 0) {
      return;
    }
    typename Op::Inputs inputs(seed * (threadIdx.x + 1));
    typename Op::Sums sums[kChains] = {};
    __shared__ Span span;
    begin_span(span);
    const unsigned start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
        for (int c = 0; c < kChains; ++c) {
          Op::multiply_add(sums[c], inputs);
        }
      }
    }
    unsigned sum = 0;
    for (int c = 0; c < kChains; ++c) {
      sum += sums[c].any();  // the clock is read when the last sums are there
    }
    sink[threadIdx.x] = sum;
    const unsigned stop = clock_now();
    end_span(span, start, stop, cycles);
  }
}

template <class Op, int kChains>
void measure(Report& report) {
  for (const int warps : {1, 4, 8, 16}) {
    Recorder<int> claims(1);
    Recorder<int> cycles(1);
    const Recorder<unsigned> sink(512);
    for (int pass = 0; pass < 2; ++pass) {  // the first one fills the instruction caches
      claims.clear();
      chains<Op, kChains><<<4 * sm_count(), 32 * warps>>>(0, 0, claims.device(), cycles.device(), sink.device());
      finish("chains");
    }
    const std::string the_case =
        std::string("op=") + Op::kName + ";chains=" + std::to_string(kChains) + ";warps=" + std::to_string(warps);
    const double of_a_warp = kRounds * kUnroll * kChains;
    const double measured = cycles.host()[0];
    report.scalar("tensor", the_case, "cycles_per_instruction", measured / (of_a_warp * (warps < 4 ? 1 : warps / 4)),
                  "cycle");
    report.scalar("tensor", the_case, "multiply_adds", of_a_warp * warps * Op::kMultiplyAdds / measured, "1/cycle");
  }
}

template <class... Op>
void measure_all(Report& report) {
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "cudaDeviceGetAttribute");
  const auto measure_one = [&](auto op) {
    using One = decltype(op);
    if (10 * major + minor < One::kArchitecture) {
      std::fprintf(stderr, "tensor: %s: not on this GPU\n", One::kName);
      return;
    }
    measure<One, 1>(report);
    measure<One, 2>(report);
    measure<One, 4>(report);
  };
  (measure_one(Op{}), ...);
}

}  // namespace

void tensor(Report& report) {
  measure_all<MmaF16K16, MmaF16K8, MmaF16SumsK16, MmaF16SumsK8, MmaBf16K16, MmaBf16K8, MmaTf32K8, MmaTf32K4, MmaS8K32,
              MmaS8K16, MmaS8N8K16, MmaF64M8K4, MmaF64M16K4, MmaF64M16K8, MmaF64M16K16>(report);
}

}  // namespace tilescope::gpu
