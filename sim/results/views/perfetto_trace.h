// What a launch did over time, for Perfetto (ui.perfetto.dev) and Chrome's about:tracing: JSON trace events.
//
// - process "SM n": a thread per place of a CTA, with the CTAs that ran there as slices; counters by window: warps in
//   each state, what the pipes took, data and tag stage, tensor cores, asynchronous copies
// - process "CTA n": a thread per warp, with what it did and waited for as slices; its tensor cores; its bulk copies
// - process "L2 and HBM": hit rate, bytes, each slice, each channel, by window
//
// Times are microseconds, rounded to nanoseconds; what is shorter is left out. The counters' values are means over a
// window and hold from its beginning to its end.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/cta_activity.h"
#include "sim/engine/finished_cta.h"
#include "sim/engine/launch_history.h"

namespace tilescope {

struct LaunchTrace {
  std::vector<FinishedCta> timeline;
  const LaunchHistory& history;
  const CtaActivity& activity;
  double sm_mhz = 0;
  double timed_fraction = 1;  // of the launch's warp instructions
};

// At most 100,000 CTAs and 80,000 spans of warps are written, the earliest, and `otherData` says how many there are:
// the text stays below 50 MB.
std::string perfetto_trace(LaunchTrace trace);

}  // namespace tilescope
