// Timing a large launch from a sample. Counting walks the whole launch at the grain of loop iterations, with a coarse
// clock that follows the same laws (older CTA first, waves, cache misses) but not every queue. The timing engine runs
// the beginning of the launch instruction by instruction. Over the same stretch of work the two clocks differ by a
// factor that hardly changes along a launch; the rest of the coarse clock is scaled by it.
//
// The factor depends on how many CTAs an SM holds: two of them hide each other's latency, which the coarse clock does
// not know. Where no CTA is left to even out the SMs, those that hold as many have a factor of their own, and the
// launch ends with the last of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/engine/window_engine.h"
#include "sim/simulate.h"
#include "traces/stream.h"

namespace tilescope {

// How far a run had come: instructions executed by a moment. Both members ascend along a curve.
struct WorkPoint {
  Cycle when = 0;
  std::uint64_t instructions = 0;
};
using WorkCurve = std::vector<WorkPoint>;

// The curves of the SMs that hold equally many CTAs: one curve for each number, fewest first, when all CTAs of the
// launch are resident from the start; one for the whole chip otherwise.
class WorkCurves {
 public:
  // Adds a point to every curve.
  template <class Engine>
  void add(const Engine& engine);
  const std::vector<WorkCurve>& by_load() const { return curves_; }

 private:
  std::vector<std::size_t> curve_of_sm_;
  std::vector<WorkCurve> curves_;
};

struct SampledTiming {
  Cycle cycles = 0;          // first CTA's start to the last one's end
  double error_pct = 0;      // estimated standard error of `cycles`
  double fraction = 1;       // of the instructions that were timed; 1: the launch was simulated to its end
  double time_fraction = 1;  // of `cycles` that the timed part takes
  SmCounters sm;             // of the timed part
  MemoryCounters memory;
  std::vector<FinishedCta> timeline;
};

// `coarse`: the counting engine's curves for the whole launch. Small launches are simulated to the end.
SampledTiming time_by_sample(const GpuSpec& gpu, const Kernel& kernel, int threads, const WorkCurves& coarse,
                             const std::function<void(const Progress&)>& on_progress);

}  // namespace tilescope
