// What does a barrier cost, by warps of the CTA? Back to back, and from the last warp's arrival to everybody's release.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kBarriers = 64;

__global__ void back_to_back(int sm, int* claims, int* cycles) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __syncthreads();
  const unsigned start = clock_now();
#pragma unroll
  for (int i = 0; i < kBarriers; ++i) {
    asm volatile("bar.sync 0;" ::: "memory");
  }
  const unsigned stop = clock_now();
  cycles[threadIdx.x / 32] = static_cast<int>(stop - start);
}

// The last warp comes 2,000 cycles late; each warp's clock before and behind the barrier, relative to the latecomer's
// arrival.
__global__ void release(int sm, int* claims, unsigned* before, unsigned* behind) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ unsigned word;
  word = 0;
  const int warp = threadIdx.x / 32;
  __syncthreads();
  const unsigned start = clock_now();
  if (warp == static_cast<int>(blockDim.x) / 32 - 1) {
    while (clock_now() - start < 2000) {
    }
  }
  const unsigned arrive = clock_now();
  asm volatile("bar.sync 0;" ::: "memory");
  // BAR.SYNC.DEFER_BLOCKING lets a clock read pass; a load that the next instruction needs does not pass. Its latency
  // is included.
  unsigned zero;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(zero) : "r"(shared_address(&word)) : "memory");
  if (zero != 0) {
    return;
  }
  const unsigned leave = clock_now();
  before[warp] = arrive;
  behind[warp] = leave;
}

}  // namespace

void barrier(Report& report) {
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    const std::string the_case = "warps=" + std::to_string(warps);
    Recorder<int> claims(1);
    Recorder<int> cycles(32);
    Recorder<unsigned> before(32);
    Recorder<unsigned> behind(32);
    for (int pass = 0; pass < 2; ++pass) {
      claims.clear();
      back_to_back<<<4 * sm_count(), 32 * warps>>>(0, claims.device(), cycles.device());
      claims.clear();
      release<<<4 * sm_count(), 32 * warps>>>(0, claims.device(), before.device(), behind.device());
      finish("barrier");
    }
    report.scalar("barrier", the_case, "back_to_back", static_cast<double>(cycles.host()[0]) / kBarriers, "cycle");
    const unsigned latecomer = before.host()[warps - 1];
    for (int warp = 0; warp < warps; ++warp) {
      report.trace("barrier", the_case + ";from=latecomer", warp, 0, static_cast<int>(behind.host()[warp] - latecomer));
    }
  }
}

}  // namespace tilescope::gpu
