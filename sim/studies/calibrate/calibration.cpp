#include "sim/studies/calibrate/calibration.h"

#include <algorithm>
#include <cmath>

#include "sim/studies/calibrate/indeterminacy_text.h"

namespace tilescope::calibrate {
namespace {

using Kind = Indeterminacy::Kind;

constexpr double kCorrelated = 0.9;

std::vector<double> measured_values(const std::vector<TrainingCase>& cases) {
  std::vector<double> values;
  for (const TrainingCase& one : cases)
    for (const Target& target : one.targets) values.push_back(target.measured);
  return values;
}

std::vector<FitParameter> fit_parameters(const std::vector<ChosenParameter>& parameters) {
  std::vector<FitParameter> all;
  all.reserve(parameters.size());
  for (const ChosenParameter& p : parameters) all.push_back({p.low, p.high, p.before, p.whole});
  return all;
}

std::vector<Indeterminacy> too_wide(const std::vector<FitParameter>& parameters, const Uncertainty& uncertainty) {
  std::vector<Indeterminacy> found;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double share = 2 * uncertainty.half_width[j].value_or(0) / (parameters[j].high - parameters[j].low);
    if (share > 1) found.push_back({Kind::wider_than_bounds, {j}, {}, share});
  }
  return found;
}

std::vector<std::size_t> all_but(const std::vector<Indeterminacy>& found, std::size_t parameters) {
  std::vector<std::size_t> rest;
  for (std::size_t j = 0; j < parameters; ++j)
    if (std::none_of(found.begin(), found.end(), [j](const Indeterminacy& one) { return one.parameters[0] == j; }))
      rest.push_back(j);
  return rest;
}

std::vector<CorrelatedPair> correlated_pairs(const std::vector<ChosenParameter>& parameters,
                                             const Uncertainty& uncertainty) {
  std::vector<CorrelatedPair> pairs;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (std::size_t j = i + 1; j < parameters.size(); ++j)
      if (std::abs(uncertainty.correlation[i][j]) > kCorrelated)
        pairs.push_back({parameters[i].key, parameters[j].key, uncertainty.correlation[i][j]});
  return pairs;
}

std::vector<CaseResidual> case_residuals(const std::vector<TrainingCase>& cases, const std::vector<double>& before,
                                         const std::vector<double>& after) {
  std::vector<CaseResidual> all;
  for (const TrainingCase& one : cases)
    for (const Target& target : one.targets)
      all.push_back({target.label, target.metric, target.measured, before[all.size()], after[all.size()]});
  return all;
}

FittedParameter fitted(const ChosenParameter& chosen, const FitParameter& parameter, double after,
                       std::optional<double> half_width) {
  FittedParameter result{chosen, after, std::nullopt, at_bound(parameter, after)};
  if (half_width) result.interval = {after - *half_width, after + *half_width};
  return result;
}

}  // namespace

std::size_t expected_simulations(std::size_t cases, std::size_t parameters, int iterations) {
  const std::size_t differences = 2 * parameters;
  return cases * (1 + differences + static_cast<std::size_t>(iterations) * (1 + differences));
}

tl::expected<Calibration, std::string> calibrate(const GpuFile& file, const std::vector<ChosenParameter>& parameters,
                                                 const std::vector<TrainingCase>& cases,
                                                 const CalibrationOptions& options) {
  const std::vector<FitParameter> bounds = fit_parameters(parameters);
  const std::vector<double> measured = measured_values(cases);
  const auto undetermined = [&](const std::vector<Indeterminacy>& found, const std::vector<std::size_t>& subset) {
    return tl::make_unexpected(indeterminacy_text(found, parameters, subset));
  };
  if (measured.size() < parameters.size()) return undetermined(indeterminacies(bounds, {}, measured.size()), {});

  SimulatorOptions simulation{options.sample, options.threads, nullptr};
  const std::size_t expected = expected_simulations(cases.size(), parameters.size(), options.most_iterations);
  if (options.on_progress)
    simulation.on_progress = [&](std::size_t done) { options.on_progress(done, std::max(done, expected)); };
  CaseSimulator simulator(file, parameters, cases, simulation);

  const Model model = [&](const std::vector<Point>& points) {
    std::vector<Residuals> residuals = simulator.predict(points);
    for (Residuals& at : residuals)
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = std::log(at[i] / measured[i]);
    return residuals;
  };
  FitOptions fit_options;
  fit_options.most_iterations = options.most_iterations;
  fit_options.worth_it = [&](const Sensitivity& at_start) {
    const auto found = without_effect(bounds, at_start);
    return std::none_of(found.begin(), found.end(), [](const auto& one) { return one.kind == Kind::no_effect; });
  };
  const Fit best = fit(bounds, model, fit_options);
  const Sensitivity& sensitivity = best.sensitivity;
  const auto found = indeterminacies(bounds, sensitivity, measured.size());
  if (!found.empty()) return undetermined(found, determined_subset(bounds, sensitivity));
  const Uncertainty uncertain = uncertainty(bounds, best.point, best.residuals, sensitivity);
  const auto wide = too_wide(bounds, uncertain);
  if (!wide.empty()) return undetermined(wide, all_but(wide, parameters.size()));

  Point unfitted;
  for (const ChosenParameter& p : parameters) unfitted.push_back(p.before);
  const auto predictions = simulator.predict({unfitted, best.point});
  Calibration result;
  result.gpu = file.spec.name;
  result.file = file.path;
  result.cases = cases.size();
  for (std::size_t j = 0; j < parameters.size(); ++j)
    result.parameters.push_back(fitted(parameters[j], bounds[j], best.point[j], uncertain.half_width[j]));
  result.correlated = correlated_pairs(parameters, uncertain);
  result.residuals = case_residuals(cases, predictions[0], predictions[1]);
  result.residual_deviation = uncertain.residual_deviation;
  result.degrees_of_freedom = uncertain.degrees_of_freedom;
  result.iterations = best.iterations;
  result.stop = best.stop;
  result.simulations = simulator.simulations();
  return result;
}

}  // namespace tilescope::calibrate
