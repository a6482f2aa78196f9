#include "sim/studies/calibrate/calibration_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/support/suggest.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/calibrate/calibration.h"

namespace tilescope::calibrate {
namespace {

std::string metric_names(const TrainingCase& one) {
  std::map<std::string, int> times;
  for (const Target& target : one.targets) ++times[target.metric->name];
  std::vector<std::string> names;
  names.reserve(times.size());
  for (const auto& [name, count] : times) names.push_back(count == 1 ? name : fmt::format("{} ({} rows)", name, count));
  return list_of(names, "and");
}

}  // namespace

std::string plan_table(const GpuFile& file, const std::vector<ChosenParameter>& parameters,
                       const TrainingCases& training, int most_iterations) {
  std::string text = fmt::format("{} ({}): {} parameters, {} launches, {} iterations of {} simulations at most\n\n",
                                 file.spec.name, file.path, parameters.size(), training.cases.size(), most_iterations,
                                 expected_simulations(training.cases.size(), parameters.size(), 1) -
                                     expected_simulations(training.cases.size(), parameters.size(), 0));
  text += fmt::format("{:<36}{:<13}{:>9}   {:<18}{}\n", "parameter", "unit", "now", "bounds", "determined by");
  for (const ChosenParameter& p : parameters)
    text += fmt::format("  {:<34}{:<13}{:>9}   {:<18}{}\n", p.key, p.unit, value_text(p, p.before),
                        value_text(p, p.low) + " to " + value_text(p, p.high), p.about->determined_by);
  std::size_t width = 6;
  for (const TrainingCase& one : training.cases) width = std::max(width, one.label.size());
  text += fmt::format("\n{:<{}}{:>18}   fitted to\n", "launch", width + 2, "warp instructions");
  for (const TrainingCase& one : training.cases)
    text += fmt::format("  {:<{}}{:>18}   {}\n", one.label, width, grouped(one.instructions), metric_names(one));
  if (!training.left_out.empty()) text += "\nleft out\n";
  for (const LeftOut& row : training.left_out) text += fmt::format("  {}: {}\n", row.label, row.reason);
  return text;
}

}  // namespace tilescope::calibrate
