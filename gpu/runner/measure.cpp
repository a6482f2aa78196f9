#include "measure.h"

#include <cuda_profiler_api.h>

#include <algorithm>

#include "../common/clock.h"
#include "../common/device.h"
#include "../common/flush.h"

namespace tilescope::gpu {

Timing time_launches(const std::function<void()>& launch, const Options& options) {
  StopWatch watch;
  for (int i = 0; i < options.warmups; ++i) {
    launch();
  }
  if (options.warm) {
    launch();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaProfilerStart(), "cudaProfilerStart");
  }
  std::vector<float> times(options.repeats);
  for (float& ms : times) {
    if (options.cold) {
      flush_l2();  // on the same stream: what follows is queued while it runs
    }
    ms = watch.time_ms(launch);
  }
  if (options.warm) {
    check(cudaProfilerStop(), "cudaProfilerStop");
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), options.once ? 0.0 : sm_clock_mhz()};
}

}  // namespace tilescope::gpu
