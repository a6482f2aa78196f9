#include "sim/studies/sweep/parameter_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "models/support/accepted.h"
#include "models/support/suggest.h"
#include "sim/studies/sweep/gpu_value.h"

namespace tilescope::sweep {
namespace {

bool is_gpus(const std::string& name) { return name.starts_with(kGpu); }
bool is_launchs(const std::string& name) { return name.starts_with(kLaunch); }

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_parameter(const StudyKernel& kernel, const std::string& name) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](const ParameterInfo& info) { return info.name == name; });
}

std::vector<StudyKernel*> kernels_of(const Taker& taker) {
  if (taker.only != nullptr) return {taker.only};
  std::vector<StudyKernel*> all;
  for (StudyKernel& kernel : taker.study.kernels) all.push_back(&kernel);
  return all;
}

// A sentence for a name that nothing in reach has; empty: something has it.
std::string unknown_name(const std::string& name, const Taker& taker) {
  std::vector<std::string> gpu_names;
  for (const std::string& path : gpu_paths()) gpu_names.push_back(std::string(kGpu) + path);
  if (is_gpus(name))
    return contains(gpu_names, name) ? "" : "the GPU has no such parameter" + did_you_mean(name, gpu_names);
  if (is_launchs(name))
    return contains(launch_parameters(), name)
               ? ""
               : fmt::format("a launch has no such parameter{}; it has {}", did_you_mean(name, launch_parameters()),
                             list_of(launch_parameters(), "and"));
  std::vector<std::string> known;
  for (const StudyKernel* kernel : kernels_of(taker)) {
    if (has_parameter(*kernel, name)) return "";
    for (const ParameterInfo& info : kernel->parameters) known.push_back(info.name);
  }
  if (!taker.all_kernels_known && taker.only == nullptr) return "";
  std::string hint = did_you_mean(name, known);
  if (hint.empty() && contains(gpu_names, std::string(kGpu) + name))
    hint = " (did you mean " + std::string(kGpu) + name + "?)";
  return (taker.only != nullptr ? taker.only->label + " has no such parameter" : "no kernel of the study has it") +
         hint;
}

// A sentence for a value that one of its owners refuses; empty: none does.
std::string refused_value(const std::string& name, const std::string& value, const Taker& taker) {
  if (is_gpus(name)) {
    if (value == base_value) return "";
    std::string problem = gpu_value_problem(name.substr(kGpu.size()), value);
    const std::string begin = name.substr(kGpu.size()) + ": ";
    if (problem.starts_with(begin)) problem.erase(0, begin.size());
    return problem;
  }
  if (is_launchs(name)) {
    const Range<std::int64_t> range{name == "launch.registers_per_thread" ? 1 : 0, 1 << 20};
    const auto number = parse_integer(value);
    if (value == base_value || (number && *number >= range.low && *number <= range.high)) return "";
    return fmt::format("got {}; must be {}", in_quotes(value), accepted(range, ""));
  }
  for (const StudyKernel* kernel : kernels_of(taker)) {
    if (!has_parameter(*kernel, name)) continue;
    std::vector<std::string> problems;
    const Parameters checked(kernel->parameters, {{name, value}}, problems);
    if (problems.empty()) continue;
    const std::string begin = "parameter " + name + ": ";
    std::string problem = problems.front();
    if (problem.starts_with(begin)) problem.erase(0, begin.size());
    return fmt::format("{}: {}", kernel->label, problem);
  }
  return "";
}

// The part of an axis that a kernel has: its names, and their values without repetition.
Axis part_of(const Axis& axis, const std::vector<bool>& kept) {
  const auto chosen = [&](const std::vector<std::string>& all) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (kept[i]) some.push_back(all[i]);
    return some;
  };
  Axis part{chosen(axis.names), {}};
  std::set<std::vector<std::string>> known;
  for (const auto& values : axis.values) {
    auto some = chosen(values);
    if (known.insert(some).second) part.values.push_back(std::move(some));
  }
  return part;
}

void replace_axes(StudyKernel& kernel, Axis added) {
  std::vector<Axis> axes;
  for (const Axis& old : kernel.axes) {
    std::vector<bool> kept;
    for (const std::string& name : old.names) kept.push_back(!contains(added.names, name));
    Axis rest = part_of(old, kept);
    if (!rest.names.empty()) axes.push_back(std::move(rest));
  }
  axes.push_back(std::move(added));
  kernel.axes = std::move(axes);
}

bool has_all_names(const StudyKernel& kernel, const PointExpression& formula) {
  return std::all_of(formula.names().begin(), formula.names().end(), [&](const PointExpression::Name& name) {
    return name.text == "kernel" || name.text == "gpu" || is_gpus(name.text) || is_launchs(name.text) ||
           has_parameter(kernel, name.text);
  });
}

}  // namespace

const std::vector<std::string>& launch_parameters() {
  static const std::vector<std::string> names = {"launch.dynamic_smem_bytes", "launch.registers_per_thread"};
  return names;
}

void take_axis(const PlacedAxis& placed, const std::string& prefix, const Taker& taker, Diagnostics& errors) {
  const std::size_t before = errors.size();
  const std::string what = prefix + placed.key + ": ";
  const Axis& axis = placed.axis;
  for (std::size_t n = 0; n < axis.names.size(); ++n) {
    const std::string& name = axis.names[n];
    const std::string unknown = unknown_name(name, taker);
    if (!unknown.empty()) {
      errors.push_back(
          placed.place.error(what + (axis.names.size() == 1 ? unknown : fmt::format("{}: {}", name, unknown))));
      continue;
    }
    for (std::size_t v = 0; v < axis.values.size(); ++v) {
      const std::string problem = refused_value(name, axis.values[v][n], taker);
      if (problem.empty()) continue;
      Diagnostic refused = placed.value_places[v].error(what + problem);
      if (errors.empty() || errors.back() != refused) errors.push_back(std::move(refused));
    }
  }
  if (errors.size() > before) return;
  for (StudyKernel* kernel : kernels_of(taker)) {
    std::vector<bool> kept;
    for (const std::string& name : axis.names)
      kept.push_back(is_gpus(name) || is_launchs(name) || has_parameter(*kernel, name));
    Axis part = part_of(axis, kept);
    if (!part.names.empty()) replace_axes(*kernel, std::move(part));
  }
}

void take_constraint(const std::string& formula, const Place& place, const Taker& taker, Diagnostics& errors) {
  const auto at = [&](std::size_t column) {
    return Place{place.file, place.line, place.column + static_cast<int>(column) - 1};
  };
  const std::string what = "constraints: in the formula " + in_quotes(formula) + ": ";
  std::optional<PointExpression> expression;
  try {
    expression.emplace(formula);
  } catch (const ExpressionError& broken) {
    return errors.push_back(at(broken.column).error(what + broken.sentence));
  }
  const std::size_t before = errors.size();
  for (const PointExpression::Name& name : expression->names()) {
    if (name.text == "kernel" || name.text == "gpu") continue;
    const std::string unknown = unknown_name(name.text, taker);
    if (!unknown.empty()) errors.push_back(at(name.column).error(fmt::format("{}{}: {}", what, name.text, unknown)));
  }
  if (errors.size() > before) return;
  for (StudyKernel* kernel : kernels_of(taker))
    if (has_all_names(*kernel, *expression)) kernel->constraints.push_back({*expression, place.line, place.column});
}

}  // namespace tilescope::sweep
