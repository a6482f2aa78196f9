// How many registers does a sub-partition read per cycle? Sequences of 64 FFMAs over 8 to 24 registers, in cycles of a
// sub-partition per FFMA: 1 unless their operands hold them up. A sequence repeats in a loop, whose own instructions
// count too (3 to 64 FFMAs).
//   operands=random: all of them         operands=outer: a register multiplies four others, as in an outer product
// Which registers the sequence really has, and which operands are .reuse, ptxas decides: cuobjdump -sass shows it.
#include <utility>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSequences = 24;
constexpr int kLength = 64;
constexpr int kRounds = 64;
constexpr int kSubPartitions = 4;

__host__ __device__ constexpr bool is_outer(int sequence) { return sequence >= kSequences / 2; }
__host__ __device__ constexpr int registers_of(int sequence) {
  constexpr int kCounts[] = {8, 12, 16, 24};
  return kCounts[sequence % 4];
}

__host__ __device__ constexpr unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

// sum += a * b. The sum is read and written: an FFMA whose result nobody reads would be removed.
struct Ffma {
  int sum;
  int a;
  int b;
};
__host__ __device__ constexpr Ffma ffma(int sequence, int step) {
  const auto draw = [&](unsigned operand) {
    return static_cast<int>(mix(mix(sequence * kLength + step) + operand) % registers_of(sequence));
  };
  return {draw(0), is_outer(sequence) ? step / 4 % registers_of(sequence) : draw(1), draw(2)};
}

template <int kSequence, int kStep>
__device__ void issue(float (&v)[registers_of(kSequence)]) {
  constexpr Ffma kFfma = ffma(kSequence, kStep);
  asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(v[kFfma.sum]) : "f"(v[kFfma.a]), "f"(v[kFfma.b]));
}
template <int kSequence, int... kSteps>
__device__ void issue_all(float (&v)[registers_of(kSequence)], std::integer_sequence<int, kSteps...> /*steps*/) {
  (issue<kSequence, kSteps>(v), ...);
}

template <int kSequence>
__global__ void __launch_bounds__(1024) run(const float* data, int* cycles, float* sink) {
  __shared__ Span span;
  begin_span(span);
  float v[registers_of(kSequence)];
#pragma unroll
  for (int i = 0; i < registers_of(kSequence); ++i) {
    v[i] = data[threadIdx.x + i];
  }
  unsigned start = 0;
  unsigned stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first one waits for the loads and fills the instruction caches
    __syncthreads();
    __syncthreads();  // a warp reads the clock while it waits for the one before it
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
      issue_all<kSequence>(v, std::make_integer_sequence<int, kLength>{});
    }
    stop = clock_now();
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < registers_of(kSequence); ++i) {
    sum += v[i];
  }
  sink[threadIdx.x] = sum;
  end_span(span, start, stop, cycles);
}

template <int kSequence>
void measure(Report& report, const Recorder<float>& data) {
  const Recorder<float> sink(1024);
  const Recorder<int> cycles(1);
  for (const int warps : {4, 8, 16, 32}) {
    run<kSequence><<<1, 32 * warps>>>(data.device(), cycles.device(), sink.device());
    finish("register_banks");
    const std::string the_case =
        "sequence=" + std::to_string(kSequence) + ";operands=" + (is_outer(kSequence) ? "outer" : "random") +
        ";registers=" + std::to_string(registers_of(kSequence)) + ";warps=" + std::to_string(warps);
    const double ffmas = static_cast<double>(kRounds) * kLength * warps / kSubPartitions;
    report.scalar("register_banks", the_case, "per_ffma", cycles.host()[0] / ffmas, "cycle");
  }
}

template <int... kAll>
void measure_all(Report& report, std::integer_sequence<int, kAll...> /*sequences*/) {
  const Recorder<float> data(1024 + kLength);
  (measure<kAll>(report, data), ...);
}

}  // namespace

void register_banks(Report& report) { measure_all(report, std::make_integer_sequence<int, kSequences>{}); }

}  // namespace tilescope::gpu
