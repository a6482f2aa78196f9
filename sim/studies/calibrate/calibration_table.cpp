#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/support/suggest.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/calibrate/calibration_view.h"

namespace tilescope::calibrate {
namespace {

std::string error_lines(const Calibration& calibration) {
  std::string text = fmt::format("{:<12}{:>9}{:>9}{:>9}{:>9}\n", "error", "mean", "median", "p90", "worst");
  for (const When when : {When::before, When::after}) {
    const ErrorStatistics e = summarise_errors(calibration.residuals, when);
    text +=
        fmt::format("{:<12}{:>7.2f} %{:>7.2f} %{:>7.2f} %{:>7.2f} %\n", when == When::before ? "  before" : "  after",
                    e.mean, e.median, e.p90, worst_error(calibration.residuals, when));
  }
  return text;
}

std::string interval_text(const FittedParameter& parameter) {
  if (parameter.bound != AtBound::no) return parameter.bound == AtBound::low ? "at lower bound" : "at upper bound";
  if (!parameter.interval) return "unknown";
  return fmt::format("{:.4g} to {:.4g}", parameter.interval->first, parameter.interval->second);
}

std::string parameter_lines(const Calibration& calibration) {
  std::string text = fmt::format("{:<36}{:<13}{:>9}{:>9}   {:<22}{}\n", "parameter", "unit", "before", "after",
                                 "95 % interval", "bounds");
  for (const FittedParameter& parameter : calibration.parameters) {
    const ChosenParameter& chosen = parameter.chosen;
    text += fmt::format("  {:<34}{:<13}{:>9}{:>9}   {:<22}{} to {}\n", chosen.key, chosen.unit,
                        value_text(chosen, chosen.before), value_text(chosen, parameter.after),
                        interval_text(parameter), value_text(chosen, chosen.low), value_text(chosen, chosen.high));
  }
  for (const CorrelatedPair& pair : calibration.correlated)
    text += fmt::format("  {} and {} are correlated, r = {:+.2f}\n", pair.first, pair.second, pair.r);
  return text;
}

std::string residual_lines(const Calibration& calibration) {
  std::size_t width = 4;
  for (const CaseResidual& r : calibration.residuals) width = std::max(width, r.label.size());
  std::string text;
  const Metric* shown = nullptr;
  std::vector<const CaseResidual*> by_metric;
  for (const CaseResidual& r : calibration.residuals) by_metric.push_back(&r);
  std::stable_sort(by_metric.begin(), by_metric.end(), [](const CaseResidual* a, const CaseResidual* b) {
    return a->metric < b->metric;  // both in metrics(): in its order
  });
  for (const CaseResidual* r : by_metric) {
    if (r->metric != shown) {
      shown = r->metric;
      text += fmt::format("\n{}, {}\n  {:<{}}{:>16}{:>16}{:>16}{:>10}{:>10}\n", shown->name, shown->unit, "case", width,
                          "measured", "before", "after", "before", "after");
    }
    text += fmt::format("  {:<{}}{:>16}{:>16}{:>16}{:>+8.1f} %{:>+8.1f} %\n", r->label, width,
                        grouped(std::round(r->measured)), grouped(std::round(r->before)), grouped(std::round(r->after)),
                        100 * r->error_before(), 100 * r->error_after());
  }
  return text;
}

}  // namespace

ErrorStatistics summarise_errors(const std::vector<CaseResidual>& residuals, When when) {
  std::vector<PredictionError> errors;
  errors.reserve(residuals.size());
  for (const CaseResidual& r : residuals)
    errors.push_back(prediction_error(when == When::before ? r.before : r.after, r.measured, false));
  return error_statistics(errors);
}

double worst_error(const std::vector<CaseResidual>& residuals, When when) {
  double worst = 0;
  for (const CaseResidual& r : residuals)
    worst = std::max(worst, 100 * std::abs(when == When::before ? r.error_before() : r.error_after()));
  return worst;
}

std::string_view stop_text(Stop stop) {
  switch (stop) {
    case Stop::small_change:
      return "the sum of squares hardly changed any more";
    case Stop::no_downhill_step:
      return "no step lowered the sum of squares";
    case Stop::most_iterations:
      return "all iterations were used: more might fit better";
    case Stop::not_begun:
      break;
  }
  return "not begun";
}

std::string calibration_table(const Calibration& calibration) {
  const std::string scatter = calibration.degrees_of_freedom > 0
                                  ? fmt::format("{:.2f} % ({} degrees of freedom)",
                                                100 * calibration.residual_deviation, calibration.degrees_of_freedom)
                                  : "unknown (no degrees of freedom)";
  return fmt::format("{} ({}), fitted to {}: {} cases, {} values, {} parameters\n\n", calibration.gpu, calibration.file,
                     list_of(calibration.measured_files, "and"), calibration.cases, calibration.residuals.size(),
                     calibration.parameters.size()) +
         error_lines(calibration) + "\n" + parameter_lines(calibration) +
         fmt::format("\niterations: {} ({}), {} simulations\nstandard deviation of a residual: {}\n",
                     calibration.iterations, stop_text(calibration.stop), calibration.simulations, scatter) +
         (calibration.left_out.empty()
              ? ""
              : fmt::format("rows left out: {} (--dry-run lists them)\n", calibration.left_out.size())) +
         residual_lines(calibration);
}

}  // namespace tilescope::calibrate
