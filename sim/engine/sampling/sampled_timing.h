// Timing a large launch from a sample. Counting walks the whole launch at the grain of loop iterations, with a coarse
// clock that follows the same laws (older CTA first, waves, cache misses) but not every queue. The timing engine runs
// the beginning of the launch instruction by instruction. Over the same stretch of work the two clocks differ by a
// factor that hardly changes along a launch; the rest of the coarse clock is scaled by it. The sample grows until the
// factor is known well enough.
//
// SMs of the counting engine run in step for ever once they do; those of the timing engine fall out of step where
// asynchronous copies run ahead. So what they ask L2 for has a factor too: of the sectors that miss L1, the share that
// the request coalescer lets through, in the timed beginning over the counted one. It is that of the first wave of
// CTAs; later_wave.h has the others.
//
// Waves of CTAs behind the first have a factor of their own where a piece of them has been timed (later_wave.h): SMs
// that are out of step do not wait for device memory all at once.
//
// The factor of the clocks depends on how many CTAs an SM holds. Where no CTA is left to even out the SMs, those that
// hold as many have a factor of their own, and the launch ends with the last of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/engine/sampling/cycles_interval.h"
#include "sim/engine/sampling/later_wave.h"
#include "sim/engine/sampling/work_curve.h"
#include "sim/engine/window_engine.h"
#include "sim/simulate.h"

namespace tilescope {

// A run as it goes on.
class WorkCurves {
 public:
  // Adds a point to every curve. `thin_shift`: one line in 2 to this goes through the engine's caches.
  template <class Engine>
  void add(const Engine& engine, unsigned thin_shift = 0);
  // Clocks of the SMs that hold equally many CTAs: one curve for each number, fewest first, when all CTAs of the launch
  // are resident from the start; one for the whole chip otherwise.
  const std::vector<WorkCurve>& by_load() const { return by_load_; }
  std::uint64_t instructions() const { return instructions_; }
  // Of all SMs: sectors that missed L1 (or go past it), and those of them that L2 was asked for.
  const WorkCurve& missed() const { return missed_; }
  const WorkCurve& asked() const { return asked_; }

 private:
  std::vector<std::size_t> curve_of_sm_;
  std::vector<WorkCurve> by_load_;
  WorkCurve missed_, asked_;
  std::uint64_t instructions_ = 0;  // of all SMs
};

struct SampledTiming {
  Cycle cycles = 0;         // first CTA's start to the last one's end
  CyclesInterval interval;  // of `cycles`, by its parts; 0 where the launch was simulated to its end
  Cycle low = 0;            // the 90 % interval
  Cycle high = 0;
  double fraction = 1;       // of the instructions that were timed; 1: the launch was simulated to its end
  double time_fraction = 1;  // of `cycles` that the timed part takes
  double clock_share = 1;    // WindowEngine::clock_share() of the timed part
  double asked_factor = 1;   // on what the counting engine says L2 is asked for
  SmCounters sm;             // of the timed part
  MemoryCounters memory;
  std::vector<FinishedCta> timeline;
  std::vector<InstructionCounters> instructions;  // of the timed part, when they were asked for
};

// A launch's beginning, instruction by instruction.
class TimedBeginning {
 public:
  // Of the options `threads`, `sample`, `by_instruction`, `activity` and `history` matter here.
  TimedBeginning(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options);

  // L2 begins as it is at the end of `memory`. Call before run().
  void begin_as_left_by(const MemorySystem& memory) { engine_.begin_as_left_by(memory); }
  // Goes on until `instructions` of the launch have been timed, or it ends. May be called again.
  void run(std::uint64_t instructions, const std::function<void(const Progress&)>& on_progress);
  // The same, as far as it takes until the clocks' ratio is known, given the counting engine's curves for the whole
  // launch: Sample::fast asks for fewer than Sample::automatic. Small launches are simulated to the end.
  void run_to_ratio(const WorkCurves& coarse, const std::function<void(const Progress&)>& on_progress);

  bool done() const { return engine_.done(); }
  double waves() const { return waves_; }  // of CTAs, in the launch
  const TimingEngine& engine() const { return engine_; }
  // The whole launch. REQUIRES: done(), or curves of the whole launch.
  SampledTiming timing(const WorkCurves& coarse, const LaterWaves& later = {}) const;

  static constexpr std::uint64_t kMost = 48'000'000;  // warp instructions; launches of twice as many are run to the end

 private:
  void run_on(std::uint64_t stop_at, std::uint64_t of, const std::function<void(const Progress&)>& on_progress);

  const RunOptions& options_;
  double waves_;
  TimingEngine engine_;
  WorkCurves curves_;
};

}  // namespace tilescope
