// What does a launch take outside of its CTAs, by how many there are? Of kernels whose threads read 64 bytes each
// behind a flush (work=read), wait kSpin cycles (spin) or do nothing (empty): gpc__cycles_elapsed.max less
// sm__cycles_active.max. Three launches of each.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSpin = 3000;

__global__ void __launch_bounds__(128) probe_read(const float4* from, float* sink) {
  const float4* const mine = from + static_cast<std::size_t>(blockIdx.x) * 512 + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 v = mine[i * 128];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == -1.0F) {
    sink[0] = sum;
  }
}

__global__ void __launch_bounds__(128) probe_wait(int cycles) {
  const long long start = clock64_now();
  while (clock64_now() - start < cycles) {
  }
}

}  // namespace

void counted_span(Report& report) {
  constexpr int kMost = 792;
  const Recorder<float4> data(kMost * 512);
  const Recorder<float> sink(1);
  for (const std::string work : {"read", "spin", "empty"}) {
    for (const int ctas : {1, 16, 66, 132, 396, kMost}) {
      for (int pass = 0; pass < 3; ++pass) {
        flush_l2();
        if (work == "read") {
          probe_read<<<ctas, 128>>>(data.device(), sink.device());
        } else {
          probe_wait<<<ctas, 128>>>(work == "spin" ? kSpin : 0);
        }
        finish("counted_span");
        report.launch("counted_span",
                      "work=" + work + ";ctas=" + std::to_string(ctas) + ";pass=" + std::to_string(pass));
      }
    }
  }
}

}  // namespace tilescope::gpu
