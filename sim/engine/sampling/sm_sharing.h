// How the CTAs of an SM share it in the counting engine, so that they advance there as in the timing engine: who shares
// an SM with whom, and when, is what hits in L1 and meets in L2 hang on. In kernels that fill the line in front of an
// SM's fullest resource the older CTAs get most of it, and are ahead; in others all advance together.
#pragma once

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/engine/launch_before.h"
#include "sim/engine/window_engine.h"

namespace tilescope {

// Counts the launch's beginning, as far as `timed` has come. When warps of a CTA meet at barriers, so that it advances
// as one, and the youngest of an SM's first CTAs is no further behind the oldest there than two steps more than with
// even shares, they share evenly; else by age, with the number of places that lets the older ones do as much of the
// work. `grain`: for all else, and where no SM holds two CTAs. `before`: what `timed` found in L2.
CountingSm::Grain sharing_like(const TimingEngine& timed, const GpuSpec& gpu, const Kernel& kernel, int threads,
                               const CountingSm::Grain& grain, LaunchBefore& before);

}  // namespace tilescope
