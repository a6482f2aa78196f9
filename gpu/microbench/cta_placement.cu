// Which SM runs which CTA, when a launch has fewer CTAs than the GPU has places? Trace: row = CTA, index 0 = its SM.
// One CTA of 256 threads to an SM (slots=1) or as many as fit (slots=8); each stays until all have started.
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

__global__ void place(int* sm_of_cta) {
  if (threadIdx.x == 0) {
    sm_of_cta[blockIdx.x] = sm_id();
  }
  const long long start = clock64_now();
  while (clock64_now() - start < 100000) {
  }
}

}  // namespace

void cta_placement(Report& report) {
  check(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "cudaFuncSetAttribute");
  for (const bool alone : {true, false}) {
    for (const int ctas : {8, 16, 33, 64, 72, 100, 128, 200, 300}) {
      if (alone && ctas > sm_count()) {
        continue;
      }
      const Recorder<int> sms(ctas);
      place<<<ctas, 256, alone ? kOneCtaPerSm : 0>>>(sms.device());
      finish("cta_placement");
      const std::vector<int> sm_of_cta = sms.host();
      for (int cta = 0; cta < ctas; ++cta) {
        report.trace("cta_placement", "ctas=" + std::to_string(ctas) + ";slots=" + (alone ? "1" : "8"), cta, 0,
                     sm_of_cta[cta]);
      }
    }
  }
}

}  // namespace tilescope::gpu
