// How far the extrapolated end of a launch may be off, estimated from the launch itself: from its two clocks and from
// what of it the sample has not seen.
#pragma once

#include <optional>
#include <string>

#include "sim/engine/sampling/work_curve.h"

namespace tilescope {

// What the sample of a launch consists of.
struct SampledStretch {
  double from = 0;   // work at which the sample has warmed up
  double to = 0;     // work at which it ends
  double waves = 1;  // CTAs of the launch over those that are resident at once
};

// The parts of the uncertainty. Each is a share of the extrapolated end.
struct CyclesInterval {
  // Windows of the sample, as replicates: the standard error of the mean of their factors between the clocks.
  double windows = 0;
  // The launch goes on at another pace than in the sample, says the coarse clock: SMs run out of CTAs, or get from
  // caches what they waited for. Time by which the coarse clock departs from the sample's pace.
  double other_pace = 0;
  // CTAs that start when others end are out of step with them, and clocks of CTAs in step need not have the same
  // factor: what the factor corrects, for the part of the first wave that the sample has not come to.
  double unseen_wave = 0;
  // In a launch of one wave the CTAs of an SM drift apart until the last of them is alone: the part of the wave that
  // the sample has not come to.
  double unseen_ends = 0;
  double extrapolated = 0;  // what was not simulated

  // Of the 90 % interval.
  double half_width() const;
  double standard_error() const;
};

// REQUIRES: neither curve is empty; 0 <= from < to, which is the work of `detailed`, no more than that of `coarse`.
CyclesInterval cycles_interval(const WorkCurve& detailed, const WorkCurve& coarse, const SampledStretch& sample);

// A sentence that says so, and why, where the sample does not fix the end of the launch to 10 %.
std::optional<std::string> doubt(const CyclesInterval& interval);

}  // namespace tilescope
