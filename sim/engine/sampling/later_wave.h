// Waves of CTAs that are not a launch's first.
//
// The first CTAs of all SMs begin together and read the same lines in step, so that the request coalescer merges much
// of what they ask for, and all wait for device memory at the same time. Those that follow begin when the ones before
// them end, which is not in step any more. A sample of a launch's beginning knows the first wave alone, and SMs of the
// counting engine stay in step. So the timing engine runs a piece of the second wave as well, whose CTAs begin a little
// apart.
//
// Source: CTAs of a later wave begin within 0.4 to 2.8 % of the time that a CTA takes on the SMs of a GPC (10th to 90th
// percentile, gpu/microbench/wave_starts.cu, gpu/measured/h200/wave_starts.csv); 1 % is assumed.
// L2 reads of training launches on an H200, by the first wave's share alone and with this: tiles of 32 x 32 by
// asynchronous copies, 2048^3, -23 and -7 %; 128 x 128, 4096^3, -24 and -1 %, in groups of eight rows -4 and 0 %.
// Cycles of the last two: +6 and +1 %, with this 0.1 and 0.1 %.
#pragma once

#include <functional>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/engine/memory_system.h"
#include "sim/engine/sampling/work_curve.h"
#include "sim/simulate.h"

namespace tilescope {

// What a piece of the second wave says of all waves behind the first.
struct LaterWaves {
  double asked = -1;  // of the sectors that miss L1, the share that L2 is asked for; less than 0: nothing is known
  double rate = 0;    // warp instructions of all SMs in a cycle
};

// Nothing is known of launches that have not CTAs for two waves, or have clusters. `cta_cycles`: that a CTA takes.
// `before`: leaves in L2 what the piece finds there.
LaterWaves later_waves(const GpuSpec& gpu, const Kernel& kernel, int threads, Cycle cta_cycles,
                       const MemorySystem& before, const std::function<void(const Progress&)>& on_progress);

// What L2 is asked for over what the counting engine says: by its first wave, `waves` of which are the launch,
// corrected by `first`, and by `later` of what misses L1 behind it.
double asked_by_waves(const WorkCurve& missed, const WorkCurve& asked, double waves, double first, double later);

// Cycles that the work behind the first of `waves` takes longer at `rate` instructions a cycle in the second wave than
// at the coarse clock times `first`, as far as it has not been timed. `timed`: instructions.
double at_later_rate(const WorkCurve& coarse, double waves, double timed, double rate, double first);

}  // namespace tilescope
