// How long a launch takes, and at which clock.
#pragma once

#include <functional>

#include "cases.h"

namespace tilescope::gpu {

struct Timing {
  float median_ms = 0.0f;
  float min_ms = 0.0f;
  double sm_mhz = 0.0;  // right behind the last launch; 0 with --once
};

// options.warmups launches, then options.repeats timed ones; with --cold, L2 is flushed before each of those;
// with --warm, the profiler's range begins behind one more launch and ends with the last.
Timing time_launches(const std::function<void()>& launch, const Options& options);

}  // namespace tilescope::gpu
