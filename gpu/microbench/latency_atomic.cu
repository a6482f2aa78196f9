// How long does an atomic take whose result the next one needs? By operation, by lanes and how their words lie (pitch
// 0: one word for all), on global and on shared memory; op=load is a load of the same space (global: past L1).
#include "atomic_op.cuh"
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 256;

template <AtomicOp kOp, bool kShared>
__global__ void chain(unsigned* words, int pitch, int sm, int* claims, int* result) {
  __shared__ unsigned long long mine[32 * 33];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int k = threadIdx.x; k < 32 * 33; k += blockDim.x) {
    mine[k] = 0;
  }
  __syncthreads();
  const int offset = static_cast<int>(threadIdx.x) * pitch;
  std::uint64_t address = kShared ? __cvta_generic_to_shared(mine) + offset : __cvta_generic_to_global(words) + offset;
  unsigned start = 0;
  for (int pass = 0; pass < 2; ++pass) {
    start = clock_now();
#pragma unroll 16
    for (int i = 0; i < kSteps; ++i) {
      unsigned r;
      if constexpr (kShared) {
        r = shared_atom<kOp>(address, 0);
      } else {
        r = global_atom<kOp>(address, 0);
      }
      address += r;
    }
  }
  const unsigned stop = clock_now();
  if (threadIdx.x == 0) {
    result[0] = static_cast<int>(stop - start);
  }
  result[1 + threadIdx.x] = static_cast<int>(address);
}

template <AtomicOp kOp>
void measure(Report& report) {
  const Recorder<unsigned> words(1 << 14);
  for (const bool shared : {false, true}) {
    for (const int lanes : {1, 32}) {
      for (const int pitch : {0, 8, 128}) {
        if (lanes == 1 && pitch != 0) {
          continue;
        }
        Recorder<int> claims(1);
        Recorder<int> result(33);
        auto* const kernel = shared ? chain<kOp, true> : chain<kOp, false>;
        kernel<<<4 * sm_count(), lanes>>>(words.device(), pitch, 0, claims.device(), result.device());
        finish("chain");
        report.scalar("latency_atomic",
                      std::string("space=") + (shared ? "shared" : "global") + ";op=" + name_of(kOp) +
                          ";lanes=" + std::to_string(lanes) + ";pitch_bytes=" + std::to_string(pitch),
                      "latency", static_cast<double>(result.host()[0]) / kSteps, "cycle");
      }
    }
  }
}

}  // namespace

void latency_atomic(Report& report) {
  measure<AtomicOp::load>(report);
  measure<AtomicOp::add_u32>(report);
  measure<AtomicOp::add_u64>(report);
  measure<AtomicOp::add_f32>(report);
  measure<AtomicOp::add_f16x2>(report);
  measure<AtomicOp::max_s32>(report);
  measure<AtomicOp::exch_b32>(report);
  measure<AtomicOp::cas_b32>(report);
  measure<AtomicOp::cas_b64>(report);
}

}  // namespace tilescope::gpu
