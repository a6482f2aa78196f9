// Who has priority when a CTA ends and its successor takes its place: the older CTA, or the lower warp slot? Every SM
// runs two CTAs of 1,024 threads at a time out of six, each a stream of shared-memory loads that one CTA alone can keep
// busy. Trace rows: row = CTA; index 0: SM, 1: slot of the CTA's first warp, 2: start, 3: half way, 4: end (clock of
// the SM).
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 512;

__global__ void __launch_bounds__(1024) stream(unsigned* notes) {
  __shared__ float words[1024];
  words[threadIdx.x] = 1.0f;
  const unsigned shared = shared_address(&words[threadIdx.x]);
  __syncthreads();
  const unsigned start = clock_now();
  unsigned half = start;
  float v[8] = {};
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    if (round == kRounds / 2) {
      half = clock_now();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[i]) : "r"(shared) : "memory");
    }
  }
  words[threadIdx.x] = v[0] + v[7];
  __syncthreads();
  const unsigned end = clock_now();
  if (threadIdx.x == 0) {
    unsigned slot;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    unsigned* const mine = notes + blockIdx.x * 5;
    mine[0] = sm_id();
    mine[1] = slot;
    mine[2] = start;
    mine[3] = half;
    mine[4] = end;
  }
}

}  // namespace

void succession(Report& report) {
  const int ctas = 6 * sm_count();
  Recorder<unsigned> notes(static_cast<std::size_t>(ctas) * 5);
  for (int pass = 0; pass < 2; ++pass) {
    stream<<<ctas, 1024>>>(notes.device());
    finish("stream");
  }
  const std::vector<unsigned> seen = notes.host();
  for (int cta = 0; cta < ctas; ++cta) {
    for (int field = 0; field < 5; ++field) {
      report.trace("succession", "stream=lds", cta, field, seen[cta * 5 + field]);
    }
  }
}

}  // namespace tilescope::gpu
