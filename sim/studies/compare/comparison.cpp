#include "sim/studies/compare/comparison.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "models/support/spec_hash.h"
#include "sim/studies/compare/case_runs.h"

namespace tilescope {
namespace {

const std::string kCycles = "gpc__cycles_elapsed.max";
const std::string kTime = "gpu__time_duration.sum";
const std::string kStallBegin = "smsp__average_warps_issue_stalled_";
const std::string kStallEnd = "_per_issue_active.ratio";

std::vector<StallPair> stalls_of(const Measurement& measured, const Result& result) {
  std::map<std::string, StallPair> by_reason;
  const auto reason_of = [](const std::string& metric) -> std::string {
    if (!metric.starts_with(kStallBegin) || !metric.ends_with(kStallEnd)) return "";
    return metric.substr(kStallBegin.size(), metric.size() - kStallBegin.size() - kStallEnd.size());
  };
  for (const MetricValue& value : result.metrics)
    if (const std::string reason = reason_of(value.metric->name); !reason.empty())
      by_reason[reason].predicted = value.value;
  for (const auto& [metric, value] : measured.metrics)
    if (const std::string reason = reason_of(metric); !reason.empty()) by_reason[reason].measured = value;
  std::vector<StallPair> stalls;
  stalls.reserve(by_reason.size());
  for (auto& [reason, pair] : by_reason) stalls.push_back({reason, pair.predicted, pair.measured});
  std::stable_sort(stalls.begin(), stalls.end(), [](const StallPair& a, const StallPair& b) {
    return std::tuple(a.measured.value_or(-1), a.predicted.value_or(-1)) >
           std::tuple(b.measured.value_or(-1), b.predicted.value_or(-1));
  });
  return stalls;
}

std::string label_of(const MatchedRow& row) {
  if (!row.label.empty()) return row.label;
  const bool is_function = row.measured.kernel.find('(') != std::string::npos || row.measured.kernel.starts_with("_Z");
  if (!is_function) return row.measured.label();
  std::string text = row.mapped.kernel;
  char before = ':';
  for (const auto& [name, value] : row.mapped.parameters) {
    text.append(1, before).append(name).append("=").append(value);
    before = ',';
  }
  return text;
}

// Time tells no more than cycles do; it stands in for them.
bool is_stand_in(const ComparisonRequest& request, const std::string& metric, const Measurement& measured) {
  return request.metrics.empty() && metric == kTime && measured.metric(kCycles);
}

ComparedCase compare_case(MatchedRow row, const Result& result, const std::vector<const ComparedMetric*>& metrics,
                          const ComparisonRequest& request) {
  ComparedCase one{label_of(row),
                   std::move(row.measured),
                   std::move(row.mapped),
                   std::move(row.program),
                   {},
                   {},
                   result.provenance.cycles_error_pct};
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const ComparedMetric& metric = *metrics[i];
    if (is_stand_in(request, metric.name, one.measured)) continue;
    const auto predicted = metric.predicted(result);
    const auto measured = metric.measured(one.measured, result);
    if (predicted && measured) one.values.push_back({i, prediction_error(*predicted, *measured, metric.in_points())});
  }
  if (request.stalls) one.stalls = stalls_of(one.measured, result);
  return one;
}

ComparedTotal total_of(const std::vector<ComparedCase>& cases, std::size_t index, const ComparedMetric* metric) {
  ComparedTotal total;
  total.metric = metric;
  std::vector<PredictionError> errors;
  std::vector<std::size_t> case_of;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const ComparedValue& value : cases[i].values)
      if (value.metric == index) {
        errors.push_back(value.error);
        case_of.push_back(i);
      }
  total.statistics = error_statistics(errors);
  if (total.statistics.worst) total.worst_case = case_of[*total.statistics.worst];
  return total;
}

// Metrics that no case has are dropped, and the cases' indices follow.
void keep_what_was_compared(Comparison& comparison) {
  std::vector<std::size_t> moved(comparison.metrics.size());
  std::vector<ComparedTotal> kept;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    moved[i] = kept.size();
    if (comparison.metrics[i].statistics.cases > 0) kept.push_back(comparison.metrics[i]);
  }
  comparison.metrics = std::move(kept);
  for (ComparedCase& one : comparison.cases)
    for (ComparedValue& value : one.values) value.metric = moved[value.metric];
}

}  // namespace

Comparison compare(const GpuSpec& gpu, MatchedRows rows, const ComparisonRequest& request) {
  Comparison comparison;
  comparison.gpu = gpu.name;
  comparison.config_hash = config_hash_text(spec_tree(gpu));
  comparison.sm_mhz = gpu.clock.sm_mhz;
  comparison.options = request.options;
  comparison.unmatched = std::move(rows.unmatched);

  std::vector<const ComparedMetric*> metrics;
  for (const std::string& name : request.metrics.empty() ? default_compared_metrics() : request.metrics)
    metrics.push_back(find_compared_metric(name));

  const CaseRuns runs = run_cases(gpu, rows.matched, request.options);
  for (std::size_t i = 0; i < rows.matched.size(); ++i) {
    const CaseRun& run = runs.runs[runs.of_row[i]];
    if (run.result)
      comparison.cases.push_back(compare_case(std::move(rows.matched[i]), *run.result, metrics, request));
    else
      comparison.unmatched.push_back({std::move(rows.matched[i].measured), run.refused});
  }
  for (std::size_t i = 0; i < metrics.size(); ++i)
    comparison.metrics.push_back(total_of(comparison.cases, i, metrics[i]));
  keep_what_was_compared(comparison);
  return comparison;
}

std::optional<std::pair<double, double>> measured_clocks(const Comparison& comparison) {
  std::optional<std::pair<double, double>> clocks;
  for (const ComparedCase& one : comparison.cases) {
    const auto mhz = one.measured.sm_mhz();
    if (!mhz) continue;
    if (!clocks) clocks.emplace(*mhz, *mhz);
    clocks->first = std::min(clocks->first, *mhz);
    clocks->second = std::max(clocks->second, *mhz);
  }
  return clocks;
}

}  // namespace tilescope
