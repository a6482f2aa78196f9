// A study's results in a report: points as columns, the best point, and fronts of points that no other beats.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/studies/sweep/selection.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::report {

struct SweepOptions {
  std::string study;                 // empty: all of the store's
  std::optional<sweep::Goal> best;   // nullopt: throughput; where there is none cycles, then bytes from HBM
  std::vector<sweep::Goal> pareto;   // empty: the best's goal against each of some usual costs that differ
  std::size_t most_bytes = 850'000;  // of the columns, as JSON
};

// "kind": "sweep". Columns that differ between points and do not fit into `most_bytes` are left out, the least asked
// for first; where even the points' parameters do not fit, points are: those stay that are best, on a front or the best
// of any two values of two parameters, and of the others an evenly spread part. Throws std::invalid_argument for a
// store without a point that has succeeded, or for a goal that is no column of it.
nlohmann::ordered_json sweep_section(const std::string& word, const sweep::Store& store, const SweepOptions& options);

}  // namespace tilescope::report
