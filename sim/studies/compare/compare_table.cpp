#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/compare/compare_view.h"
#include "sim/studies/compare/error_groups.h"

namespace tilescope {
namespace {

using Lines = std::vector<std::vector<std::string>>;

std::string value_text(const ComparedMetric& metric, double value) {
  if (metric.whole || metric.unit == "ns") return grouped(std::round(value));
  return fmt::format("{:.2f}", value);
}

std::string error_text(const PredictionError& error, const ComparedMetric& metric) {
  if (!error.error) return "of 0";
  return fmt::format("{:+.{}f} {}", *error.error, metric.in_points() ? 2 : 1, error_unit(metric));
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool compares(const Comparison& comparison, const char* metric) {
  return std::any_of(comparison.metrics.begin(), comparison.metrics.end(),
                     [metric](const ComparedTotal& total) { return total.metric->name == metric; });
}

std::string heading(const Comparison& comparison) {
  const RunOptions& options = comparison.options;
  std::string text = fmt::format("{}, {}: {}, of {}\n", comparison.gpu,
                                 options.mode == Mode::counts    ? "counts"
                                 : options.sample == Sample::off ? "timing in full"
                                                                 : "timing by sample",
                                 counted(comparison.cases.size(), "case"), fmt::join(comparison.files, ", "));
  const auto clocks = measured_clocks(comparison);
  if (clocks && compares(comparison, "gpc__cycles_elapsed.max"))
    text +=
        fmt::format("SM clock: configured {:.0f} MHz, measured {:.0f} to {:.0f} MHz; cycles are compared as cycles\n",
                    comparison.sm_mhz, clocks->first, clocks->second);
  return text;
}

std::string totals(const Comparison& comparison) {
  Lines lines = {{"in total", "error in", "cases", "equal", "mean", "median", "p90", "worst", "bias", "log r", "<=5",
                  "<=10", "<=20"}};
  for (const ComparedTotal& total : comparison.metrics) {
    const ErrorStatistics& s = total.statistics;
    std::vector<std::string> line = {total.metric->name, error_unit(*total.metric), std::to_string(s.cases),
                                     std::to_string(s.equal)};
    if (total.worst_case) {
      double worst = 0;
      for (const ComparedValue& value : comparison.cases[*total.worst_case].values)
        if (comparison.metrics[value.metric].metric == total.metric) worst = value.error.error.value_or(0);
      for (const double value : {s.mean, s.median, s.p90}) line.push_back(fmt::format("{:.2f}", value));
      line.push_back(fmt::format("{:+.1f}", worst));
      line.push_back(fmt::format("{:+.2f}", s.bias));
      line.push_back(s.log_correlation ? fmt::format("{:.4f}", *s.log_correlation) : "-");
      for (const double value : {s.within_5, s.within_10, s.within_20}) line.push_back(fmt::format("{:.0f} %", value));
    }
    if (s.undefined > 0) line.push_back(fmt::format("and {} predicted where 0 was measured", s.undefined));
    lines.push_back(std::move(line));
  }
  return aligned_columns(lines);
}

// Of launches of bundles: their errors by what they have in common.
std::string groups(const Comparison& comparison) {
  const bool recorded = std::any_of(comparison.cases.begin(), comparison.cases.end(),
                                    [](const ComparedCase& one) { return !one.program.empty(); });
  if (!recorded) return "";
  std::string text, by;
  Lines lines;
  const auto end_of_kind = [&] {
    if (!lines.empty()) text += "\n" + aligned_columns(lines);
    lines.clear();
  };
  for (const ErrorGroup& group : error_groups(comparison)) {
    if (group.by != by) {
      end_of_kind();
      by = group.by;
      lines = {{"by " + by, "cases", "mean", "median", "p90", "bias"}};
    }
    const ErrorStatistics& s = group.statistics;
    lines.push_back({group.name, std::to_string(s.cases)});
    for (const double value : {s.mean, s.median, s.p90}) lines.back().push_back(fmt::format("{:.2f}", value));
    lines.back().push_back(fmt::format("{:+.2f}", s.bias));
  }
  end_of_kind();
  return text;
}

std::string cases_of(const Comparison& comparison, std::size_t index) {
  const ComparedTotal& total = comparison.metrics[index];
  const ComparedMetric& metric = *total.metric;
  Lines lines = {{fmt::format("{}{}", metric.name, metric.unit.empty() ? "" : ", " + metric.unit), "predicted",
                  "measured", "error"}};
  for (std::size_t i = 0; i < comparison.cases.size(); ++i)
    for (const ComparedValue& value : comparison.cases[i].values) {
      if (value.metric != index || value.error.equal()) continue;
      lines.push_back({comparison.cases[i].label, value_text(metric, value.error.predicted),
                       value_text(metric, value.error.measured), error_text(value.error, metric)});
      if (total.worst_case == i) lines.back().emplace_back("worst");
    }
  const std::size_t equal = total.statistics.equal;
  const std::string rest =
      equal == 0 ? "" : fmt::format("{} of {} equal\n", equal, counted(total.statistics.cases, "case"));
  return lines.size() == 1 ? metric.name + ": " + rest : aligned_columns(lines) + rest;
}

std::string stalls(const ComparedCase& one) {
  constexpr double kSmallest = 0.005;  // what two decimals show as 0
  const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{:.2f}", *value) : "-"; };
  Lines lines = {{one.label, "predicted", "measured", "difference"}};
  for (const StallPair& stall : one.stalls) {
    if (stall.predicted.value_or(0) < kSmallest && stall.measured.value_or(0) < kSmallest) continue;
    lines.push_back(
        {"  " + stall.reason, text(stall.predicted), text(stall.measured),
         stall.predicted && stall.measured ? fmt::format("{:+.2f}", *stall.predicted - *stall.measured) : ""});
  }
  return aligned_columns(lines);
}

std::string not_compared(const Comparison& comparison) {
  std::string text;
  if (!comparison.unmatched.empty()) text += "\nnot compared: " + counted(comparison.unmatched.size(), "row") + "\n";
  for (const UnmatchedRow& row : comparison.unmatched)
    text += fmt::format("  {}:{}: {}: {}\n", row.measured.file, row.measured.line, row.measured.label(), row.reason);
  if (comparison.left_out > 0) text += "\nleft out as asked: " + counted(comparison.left_out, "row") + "\n";
  return text;
}

}  // namespace

std::string error_unit(const ComparedMetric& metric) { return metric.in_points() ? "points" : "%"; }

std::string to_string(const Judgement& judgement, const Comparison& comparison) {
  const ComparedTotal& total = comparison.metrics[judgement.metric];
  std::string text = fmt::format("{}: mean error {:.4g} {} of {}; must be at most {:g}", total.metric->name,
                                 total.statistics.mean, error_unit(*total.metric),
                                 counted(total.statistics.cases - total.statistics.undefined, "case"), judgement.limit);
  if (total.statistics.undefined > 0)
    text += fmt::format(", and nothing predicted where 0 was measured (got {})",
                        counted(total.statistics.undefined, "case"));
  return text;
}

std::string compare_table(const Comparison& comparison, const std::vector<Judgement>& judgements) {
  std::string text = heading(comparison) + "\n" + totals(comparison) + groups(comparison);
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) text += "\n" + cases_of(comparison, i);
  if (comparison.cases.empty() || comparison.cases.front().stalls.empty()) {
    text += not_compared(comparison);
  } else {
    text += "\nwarps per issued instruction, by what they wait for (- : not known there)\n";
    for (const ComparedCase& one : comparison.cases) text += "\n" + stalls(one);
    text += not_compared(comparison);
  }
  if (!judgements.empty()) text += "\n";
  for (const Judgement& judgement : judgements)
    text += (judgement.within ? "within   " : "OUTSIDE  ") + to_string(judgement, comparison) + "\n";
  return text;
}

}  // namespace tilescope
