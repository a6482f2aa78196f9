// What can be held against a measurement: every metric of a result, and what is worked out from several.
//
// derived.shared_ld_wavefronts_less_conflicts   wavefronts that even a conflict-free layout needs: hardware's counter
// of
//                                               wavefronts less its counter of conflicts
// derived.shared_ld_arbitration_pct             passes that hardware counts as conflicts and no address causes, of its
//                                               wavefronts; 0 in the model. docs/compare.md says why the two are apart.
// (and the same two for st)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/result.h"
#include "sim/studies/measured/measurement.h"

namespace tilescope {

struct ComparedMetric {
  std::string name;
  std::string unit;
  bool needs_time = false;
  bool whole = true;
  std::function<std::optional<double>(const Result&)> predicted;                     // nullopt: not known in this mode
  std::function<std::optional<double>(const Measurement&, const Result&)> measured;  // nullopt: not measured

  // Errors of shares are differences in percentage points, all others are percent of the measured value.
  bool in_points() const { return unit == "%"; }
};

const std::vector<ComparedMetric>& compared_metrics();
const ComparedMetric* find_compared_metric(std::string_view name);  // nullptr: none of that name

// What is compared unless asked otherwise, in this order. gpu__time_duration.sum is meant for rows without
// gpc__cycles_elapsed.max.
const std::vector<std::string>& default_compared_metrics();

}  // namespace tilescope
