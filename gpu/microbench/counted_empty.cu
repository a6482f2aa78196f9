// What does an empty kernel cost, by grid and block? For gpc__cycles_elapsed.max and gpu__time_duration.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void probe_empty() {}

}  // namespace

void counted_empty(Report& report) {
  for (const int threads : {32, 256, 1024}) {
    for (const int ctas : {1, 132, 264, 1056, 4096, 16384, 65536}) {
      probe_empty<<<ctas, threads>>>();
      finish("probe_empty");
      report.launch("counted_empty", "ctas=" + std::to_string(ctas) + ";threads=" + std::to_string(threads));
    }
  }
}

}  // namespace tilescope::gpu
