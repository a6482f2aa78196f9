// How many warps may wait in line at an SM's fullest resource, in the counting engine, for its CTAs to advance as those
// of the timing engine have: kernels that fill the line give the older CTAs most of the resource, others share it. Who
// shares an SM with whom, and when, is what hits in L1 and meets in L2 hang on.
#pragma once

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/engine/window_engine.h"

namespace tilescope {

// Counts the launch's beginning with several numbers of places, as far as `timed` has come: the one with which the
// older CTAs do as much of the work. `grain`: for all else, and where no SM holds two CTAs.
double queue_places_like(const TimingEngine& timed, const GpuSpec& gpu, const Kernel& kernel, int threads,
                         const CountingSm::Grain& grain);

}  // namespace tilescope
