// How do launches stream through arrays that are in HBM alone, from the first line on? For gpc__cycles_elapsed,
// sm__cycles_active and what the channel gives that gives most (dram__bytes_read.max). Threads of `ctas` CTAs of 128
// load `loads` times 16 bytes from each of `inputs` arrays, a CTA's accesses side by side, add them up, and store as
// much to another array (outputs=1) or to the first one (in_place=1).
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 128;
constexpr std::size_t kEach = std::size_t{2112} * 4 * kThreads;  // float4 of an array

template <int kInputs, int kLoads, int kOutputs, bool kInPlace>
__global__ void __launch_bounds__(kThreads)
    probe_stream(const float4* __restrict__ a, const float4* __restrict__ b, float4* out, float* sink) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kLoads * kThreads + threadIdx.x;
  const float4* const from = kInPlace ? out : a;
  float4 v[kLoads], w[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    v[i] = kInputs > 0 ? __ldcg(from + first + i * kThreads) : make_float4(1, 1, 1, 1);
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    w[i] = kInputs > 1 ? __ldcg(b + first + i * kThreads) : make_float4(0, 0, 0, 0);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    v[i].x += w[i].x, v[i].y += w[i].y, v[i].z += w[i].z, v[i].w += w[i].w;
    if (kOutputs > 0) {
      out[first + i * kThreads] = v[i];
    } else {
      sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
  }
  if (kOutputs == 0 && sum == 12345.0F) {
    *sink = sum;
  }
}

template <int kInputs, int kLoads, int kOutputs, bool kInPlace>
void ask(Report& report, const Recorder<float4>& arrays, const Recorder<float>& sink) {
  for (const int ctas : {132, 264, 396, 792, 1584, 2112}) {
    probe_stream<kInputs, kLoads, kOutputs, kInPlace>
        <<<ctas, kThreads>>>(arrays.device(), arrays.device() + kEach, arrays.device() + 2 * kEach, sink.device());
    finish("probe_stream");
    report.launch("counted_streams", "inputs=" + std::to_string(kInputs) + ";loads=" + std::to_string(kLoads) +
                                         ";outputs=" + std::to_string(kOutputs) +
                                         ";in_place=" + (kInPlace ? "1" : "0") + ";ctas=" + std::to_string(ctas));
  }
}

}  // namespace

void counted_streams(Report& report) {
  const Recorder<float4> arrays(3 * kEach);
  const Recorder<float> sink(1);
  ask<1, 1, 0, false>(report, arrays, sink);
  ask<1, 2, 0, false>(report, arrays, sink);
  ask<1, 4, 0, false>(report, arrays, sink);
  ask<2, 2, 0, false>(report, arrays, sink);
  ask<1, 1, 1, false>(report, arrays, sink);
  ask<1, 4, 1, false>(report, arrays, sink);
  ask<1, 4, 1, true>(report, arrays, sink);
  ask<2, 2, 1, false>(report, arrays, sink);
  ask<0, 4, 1, false>(report, arrays, sink);
}

}  // namespace tilescope::gpu
