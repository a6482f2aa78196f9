// Cycles per atomic instruction on shared memory of one SM: same=m: groups of m lanes at one word each, the words side
// by side; bank=w: w words in one bank, 32 / w banks; form=red is an atomic without a result.
#include "atomic_op.cuh"
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32;
constexpr int kUnroll = 8;

template <AtomicOp kOp, bool kResult>
__global__ void __launch_bounds__(1024)
    stream(int lanes, int same, int ways, int sm, int* claims, int* cycles, unsigned* sink) {
  __shared__ alignas(16) unsigned long long words[32 * 33];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int k = threadIdx.x; k < 32 * 33; k += blockDim.x) {
    words[k] = 0;
  }
  __shared__ Span span;
  begin_span(span);
  constexpr int kBytes = bytes_of(kOp);
  const int lane = threadIdx.x % 32;
  const int group = lane / same;
  const int index = ways > 1 ? lane % (32 / ways) + lane / (32 / ways) * 32 : group;
  const std::uint64_t address = __cvta_generic_to_shared(words) + index * kBytes;
  unsigned sum = 0;
  const unsigned start = clock_now();
  if (lane < lanes) {
    for (int round = 0; round < kRounds; ++round) {
      unsigned r[kUnroll] = {};
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        if constexpr (kResult) {
          r[i] = shared_atom<kOp>(address, 0);
        } else {
          shared_red<kOp>(address, 0);
        }
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        sum += r[i];
      }
    }
  }
  asm volatile("" ::"r"(sum) : "memory");
  if (sum == 12345) {
    *sink = sum;
  }
  const unsigned stop = clock_now();
  end_span(span, start, stop, cycles);
}

template <AtomicOp kOp, bool kResult>
void measure(Report& report, int lanes, int same, int ways, int warps) {
  Recorder<int> claims(1);
  Recorder<int> cycles(1);
  const Recorder<unsigned> sink(1);
  for (int pass = 0; pass < 2; ++pass) {
    claims.clear();
    stream<kOp, kResult>
        <<<4 * sm_count(), 32 * warps>>>(lanes, same, ways, 0, claims.device(), cycles.device(), sink.device());
    finish("stream");
  }
  report.scalar("throughput_shared_atomic",
                std::string("op=") + name_of(kOp) + ";form=" + (kResult ? "atom" : "red") +
                    ";lanes=" + std::to_string(lanes) + ";same=" + std::to_string(same) +
                    ";bank=" + std::to_string(ways) + ";warps=" + std::to_string(warps),
                "cycles_per_instruction", static_cast<double>(cycles.host()[0]) / (kRounds * kUnroll * warps), "cycle");
}

template <AtomicOp kOp, bool kResult>
void sweep(Report& report) {
  for (const int warps : {1, 16}) {
    for (const int same : {1, 2, 4, 8, 16, 32}) {
      measure<kOp, kResult>(report, 32, same, 1, warps);
    }
    for (const int ways : {2, 4, 8, 16, 32}) {
      measure<kOp, kResult>(report, 32, 1, ways, warps);
    }
    for (const int lanes : {1, 4, 16}) {
      measure<kOp, kResult>(report, lanes, 1, 1, warps);
      measure<kOp, kResult>(report, lanes, 32, 1, warps);
    }
  }
}

}  // namespace

void throughput_shared_atomic(Report& report) {
  sweep<AtomicOp::load, true>(report);
  sweep<AtomicOp::add_u32, true>(report);
  sweep<AtomicOp::add_u32, false>(report);
  sweep<AtomicOp::max_s32, true>(report);
  sweep<AtomicOp::max_s32, false>(report);
  sweep<AtomicOp::exch_b32, true>(report);
  sweep<AtomicOp::cas_b32, true>(report);
  sweep<AtomicOp::cas_b64, true>(report);
  sweep<AtomicOp::add_f32, true>(report);
  sweep<AtomicOp::add_f32, false>(report);
  sweep<AtomicOp::add_u64, true>(report);
  sweep<AtomicOp::add_u64, false>(report);
}

}  // namespace tilescope::gpu
