// How long does a CTA of few instructions keep its SM's place? Each warp loads once or not at all, and ends.
//
// counted_turnover: loads of a word a lane, eight lanes a sector, `bytes` of every `stride` bytes of a set that begins
// anew every `set_mib` MiB; loads=0: nothing is loaded. Cycles, warps and why they wait: by a profiler.
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kBufferBytes = 256U << 20;
constexpr unsigned kCtas = 1U << 17;

template <bool kLoads>
__global__ void probe_turnover(const float* data, unsigned sectors_per_stride, unsigned stride_bytes, unsigned mask,
                               unsigned* sink) {
  const unsigned piece = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  const unsigned offset = (piece / sectors_per_stride * stride_bytes + piece % sectors_per_stride * 32) & mask;
  const float* const from = data + offset / 4 + threadIdx.x % 8;
  if constexpr (kLoads) {
    if (__ldcg(from) != 0.0f) {
      *sink = piece;
    }
  } else if (from == nullptr) {
    *sink = piece;
  }
}

}  // namespace

void counted_turnover(Report& report) {
  const Recorder<float> data(kBufferBytes / 4);
  const Recorder<unsigned> sink(1);
  const auto run = [&](int threads, unsigned set_mib, unsigned sectors, unsigned stride, bool loads) {
    const unsigned mask = (set_mib << 20) - 1;
    const unsigned ctas = kCtas * 256 / static_cast<unsigned>(threads);
    if (loads) {
      probe_turnover<true><<<ctas, threads>>>(data.device(), sectors, stride, mask, sink.device());
    } else {
      probe_turnover<false><<<ctas, threads>>>(data.device(), sectors, stride, mask, sink.device());
    }
    finish("probe_turnover");
    report.launch("counted_turnover", "threads=" + std::to_string(threads) + ";set_mib=" + std::to_string(set_mib) +
                                          ";bytes=" + std::to_string(sectors * 32) +
                                          ";stride=" + std::to_string(stride) + ";loads=" + (loads ? "1" : "0"));
  };
  for (const int threads : {64, 256, 1024}) {
    run(threads, 16, 4, 128, false);
    for (const unsigned set_mib : {1U, 16U, 256U}) {
      run(threads, set_mib, 4, 128, true);
      run(threads, set_mib, 2, 128, true);
      run(threads, set_mib, 1, 128, true);
      run(threads, set_mib, 1, 512, true);
    }
  }
}

}  // namespace tilescope::gpu
