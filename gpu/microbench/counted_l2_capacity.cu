// How much fits in L2? A buffer is read six times over, each line by one SM (or by all); for dram__bytes_read and the
// L2 look-ups.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kPasses = 6;

__global__ void probe_cyclic(const uint4* data, int count, bool shared, unsigned* sink) {
  const int step = shared ? blockDim.x : gridDim.x * blockDim.x;
  const int first = shared ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int i = first; i < count; i += step) {
      const uint4 v = __ldcg(&data[i]);
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void counted_l2_capacity(Report& report) {
  const Recorder<uint4> data((80u << 20) / sizeof(uint4));
  const Recorder<unsigned> sink(1);
  const auto run = [&](int megabytes, bool shared) {
    probe_cyclic<<<sm_count(), 1024>>>(data.device(), megabytes * 1000000 / static_cast<int>(sizeof(uint4)), shared,
                                       sink.device());
    finish("probe_cyclic");
    report.launch("counted_l2_capacity",
                  "passes=6;megabytes=" + std::to_string(megabytes) + ";readers=" + (shared ? "all" : "one"));
  };
  for (const int megabytes :
       {8, 16, 20, 24, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 64, 70}) {
    run(megabytes, false);
  }
  for (const int megabytes : {8, 16, 20, 24, 26, 28, 30, 32, 34, 36, 40, 48, 56, 64}) {
    run(megabytes, true);
  }
}

}  // namespace tilescope::gpu
