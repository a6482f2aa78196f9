// Timing a large launch from a sample. Counting walks the whole launch at the grain of loop iterations, with a coarse
// clock that follows the same laws (older CTA first, waves, cache misses) but not every queue. The timing engine runs
// the beginning of the launch instruction by instruction. Over the same stretch of work the two clocks differ by a
// factor that hardly changes along a launch; the rest of the coarse clock is scaled by it. The sample grows until the
// factor is known well enough.
//
// The factor depends on how many CTAs an SM holds. Where no CTA is left to even out the SMs, those that hold as many
// have a factor of their own, and the launch ends with the last of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/engine/sampling/cycles_interval.h"
#include "sim/engine/sampling/work_curve.h"
#include "sim/engine/window_engine.h"
#include "sim/simulate.h"

namespace tilescope {

// A run as it goes on.
class WorkCurves {
 public:
  // Adds a point to every curve.
  template <class Engine>
  void add(const Engine& engine);
  // Clocks of the SMs that hold equally many CTAs: one curve for each number, fewest first, when all CTAs of the launch
  // are resident from the start; one for the whole chip otherwise.
  const std::vector<WorkCurve>& by_load() const { return by_load_; }
  const WorkCurve& l2_hits() const { return l2_hits_; }  // of the sectors that SMs read, on the whole chip
  std::uint64_t instructions() const { return l2_hits_.empty() ? 0 : l2_hits_.back().instructions; }

 private:
  std::vector<std::size_t> curve_of_sm_;
  std::vector<WorkCurve> by_load_;
  WorkCurve l2_hits_;
};

struct SampledTiming {
  Cycle cycles = 0;         // first CTA's start to the last one's end
  CyclesInterval interval;  // of `cycles`, by its parts; 0 where the launch was simulated to its end
  Cycle low = 0;            // the 90 % interval
  Cycle high = 0;
  double fraction = 1;       // of the instructions that were timed; 1: the launch was simulated to its end
  double time_fraction = 1;  // of `cycles` that the timed part takes
  SmCounters sm;             // of the timed part
  MemoryCounters memory;
  double l2_hits = 0;  // sectors that SMs read and that hit in L2, of the whole launch; estimated, with its error
  double l2_hit_error_pct = 0;
  std::vector<FinishedCta> timeline;
  std::vector<InstructionCounters> instructions;  // of the timed part, when they were asked for
};

// `coarse`: the counting engine's curves for the whole launch. Small launches are simulated to the end. Of the options
// only `threads` and `by_instruction` matter here.
SampledTiming time_by_sample(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options,
                             const WorkCurves& coarse, const std::function<void(const Progress&)>& on_progress);

}  // namespace tilescope
