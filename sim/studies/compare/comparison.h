// Predictions beside measurements: per case and metric, and what they come to per metric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/results/result.h"
#include "sim/studies/compare/compared_metric.h"
#include "sim/studies/compare/error_statistics.h"
#include "sim/studies/measured/matched_rows.h"

namespace tilescope {

struct ComparedValue {
  std::size_t metric = 0;  // index into Comparison::metrics
  PredictionError error;
};

// Warps per issued instruction that wait for one reason; nullopt where the model, or this hardware, does not know it.
struct StallPair {
  std::string reason;  // long_scoreboard
  std::optional<double> predicted, measured;
};

struct ComparedCase {
  std::string label;  // the measured one; in place of a C++ function's name, the kernel as `tilescope run` takes it
  Measurement measured;
  MappedKernel mapped;
  std::string program;                // the bundle that the launch is of; ""
  std::vector<ComparedValue> values;  // in the order of Comparison::metrics
  std::vector<StallPair> stalls;      // the largest measured first; empty unless asked for
  double cycles_error_pct = 0;        // that the sampled simulation expects of itself
};

struct ComparedTotal {
  const ComparedMetric* metric = nullptr;
  ErrorStatistics statistics;
  std::optional<std::size_t> worst_case;  // index into Comparison::cases
};

struct Comparison {
  std::vector<std::string> files;
  std::string gpu, config_hash;
  double sm_mhz = 0;  // of the configuration
  RunOptions options;
  std::vector<ComparedCase> cases;
  std::vector<ComparedTotal> metrics;   // only those that at least one case has
  std::vector<UnmatchedRow> unmatched;  // by the mapping; then what the GPU can not launch
  std::size_t left_out = 0;             // by a filter
};

struct ComparisonRequest {
  std::vector<std::string> metrics;  // empty: the default ones
  bool stalls = false;
  RunOptions options;
};

// Simulates the matched rows on `gpu`. Rows that the GPU can not launch join the unmatched. REQUIRES: the metrics are
// known (find_compared_metric).
Comparison compare(const GpuSpec& gpu, MatchedRows rows, const ComparisonRequest& request);

// The lowest and highest measured SM clock of the cases, MHz; nullopt where no case tells.
std::optional<std::pair<double, double>> measured_clocks(const Comparison& comparison);

}  // namespace tilescope
