// The training cases that files of measurements hold: the launches of kernels that can be simulated.
//
// Held-out measurements are refused. They are for saying how well an unseen kernel is predicted; what was fitted to
// them no longer is unseen.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/studies/calibrate/training_case.h"
#include "sim/studies/measured/matched_rows.h"

namespace tilescope::calibrate {

// A sentence why the file must not be fitted to: its name or one of the comments before its first row says that it is
// held out ("holdout", "held-out", "held out", "hold-out", any letter case). nullopt: nothing says so.
std::optional<Diagnostic> held_out(const std::string& path, const std::string& text);

struct LeftOut {
  std::string label;   // of the row, with file and line
  std::string reason;  // one sentence
};

struct TrainingCases {
  std::vector<TrainingCase> cases;
  std::vector<LeftOut> left_out;
};

// `metrics`: what the cases are held against; empty: gpc__cycles_elapsed.max, or gpu__time_duration.sum for a row that
// has no cycles. Rows of the same launch become one case. Rows are left out that have none of these metrics above zero,
// or more than `most_instructions`.
TrainingCases training_cases(const MatchedRows& rows, const std::vector<const Metric*>& metrics,
                             double most_instructions = std::numeric_limits<double>::infinity());

// The metrics that `metrics` stands for, as above.
std::vector<const Metric*> metrics_or_time(const std::vector<const Metric*>& metrics);

}  // namespace tilescope::calibrate
