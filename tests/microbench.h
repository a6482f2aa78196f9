// Microbenchmarks on the modelled H200, held against what gpu/microbench measured on a real one (cycles of the SM
// clock, one H200 SXM, second of two launches). Each figure states its tolerance; `tilescope_tests -s` lists them all.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "engine_runs.h"
#include "hand_made_kernel.h"

namespace tilescope::test {

inline void check_figure(const std::string& what, double measured, double simulated, double tolerance_pct) {
  INFO(what << ": measured " << measured << ", simulated " << simulated << ", off by "
            << std::round(1000 * (simulated / measured - 1)) / 10 << " %");
  CHECK(std::abs(simulated - measured) <= measured * tolerance_pct / 100);
}

struct Ran {
  Cycle cycles = 0;  // first CTA's start to last CTA's end
  SmCounters sm;
  MemoryCounters memory;
  std::vector<FinishedCta> timeline;
};

inline Ran run_timed(const Kernel& kernel, const GpuSpec& spec = h200()) {
  TimingEngine engine(spec, kernel, 1);
  engine.run();
  return {engine.cycles(), engine.sm_counters(), engine.memory_counters(), engine.timeline()};
}

// An H200 of one SM, for what one SM does on its own, in cycles of its own clock: tensor cores do not slow it down, and
// warps begin together, as behind the barrier of a microbenchmark.
inline const GpuSpec& one_sm() {
  static const GpuSpec spec = gpu(
      "h200", {"sm.gpcs=[1]", "clock.tensor_pct=100", "clock.tensor_step_pct=100", "launch.warp_interval_cycles=0"});
  return spec;
}

// Cycles that each further step costs when `warps` warps of one CTA execute it over and over: per warp and step.
inline double cycles_per_step(const Step& repeated_step, int warps = 1, int few = 64, int many = 192) {
  const auto cycles = [&](int times) {
    return run_timed(HandMadeKernel(1, warps * kLanes, repeated(times, repeated_step)), one_sm()).cycles;
  };
  return static_cast<double>(cycles(many) - cycles(few)) / (many - few);
}
// The same for the SM as a whole: cycles per warp instruction.
inline double cycles_per_access(const Step& repeated_step, int warps) {
  return cycles_per_step(repeated_step, warps) / warps;
}
// Issue to result.
inline double latency(const Step& what) { return cycles_per_step(Step(what).sets(0).waits_for(0)); }

}  // namespace tilescope::test
