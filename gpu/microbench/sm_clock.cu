// At what frequency do the SMs run while all of them multiply and add?
#include "../common/clock.h"
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void busy(int rounds, float factor, float* sink) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      x[i % 8] = fmaf(x[i % 8], factor, factor);
    }
  }
  float sum = 0.0f;
  for (const float value : x) {
    sum += value;
  }
  sink[threadIdx.x] = sum;
}

}  // namespace

void sm_clock(Report& report) {
  constexpr int kRounds = 100000;  // some 50 ms
  const Recorder<float> sink(512);
  busy<<<4 * sm_count(), 512>>>(kRounds, 0.999F, sink.device());
  check(cudaGetLastError(), "busy");
  report.scalar("sm_clock", "after=ffma", "frequency", sm_clock_mhz(), "MHz");
}

}  // namespace tilescope::gpu
