// What does a kernel cost that does nothing, by grid and block, and one whose CTAs only wait? For
// gpc__cycles_elapsed.max and gpu__time_duration. spin: cycles that a CTA waits; spread: the last CTA of a launch so
// much longer than the first.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void probe_empty() {}

__global__ void probe_spin(int spin, int spread) {
  const long long start = clock64_now();
  const long long cycles = spin + static_cast<long long>(spread) * blockIdx.x / gridDim.x;
  while (clock64_now() - start < cycles) {
  }
}

}  // namespace

void counted_empty(Report& report) {
  for (const int threads : {32, 256, 1024}) {
    for (const int ctas : {1, 132, 264, 1056, 4096, 16384, 65536}) {
      probe_empty<<<ctas, threads>>>();
      finish("probe_empty");
      report.launch("counted_empty", "ctas=" + std::to_string(ctas) + ";threads=" + std::to_string(threads));
    }
  }
  for (const int ctas : {1, 132, 528, 1056, 2112, 4224}) {  // all fit at once
    for (const int spread : {0, 20000}) {
      constexpr int kSpin = 5000;
      probe_spin<<<ctas, 32>>>(kSpin, spread);
      finish("probe_spin");
      report.launch("counted_empty", "ctas=" + std::to_string(ctas) + ";threads=32;spin=" + std::to_string(kSpin) +
                                         ";spread=" + std::to_string(spread));
    }
  }
}

}  // namespace tilescope::gpu
