#include "sim/studies/calibrate/indeterminacy_text.h"

#include <fmt/format.h>

#include <cmath>

#include "models/support/suggest.h"

namespace tilescope::calibrate {
namespace {

using Kind = Indeterminacy::Kind;

std::string keys_of(const Indeterminacy& one, const std::vector<ChosenParameter>& parameters) {
  std::vector<std::string> keys;
  for (const std::size_t j : one.parameters) keys.push_back(parameters[j].key);
  return list_of(keys, "and");
}

std::string measurements_for(const Indeterminacy& one, const std::vector<ChosenParameter>& parameters) {
  std::vector<std::string> all;
  for (const std::size_t j : one.parameters)
    all.push_back(fmt::format("{} ({})", parameters[j].about->determined_by, parameters[j].key));
  return list_of(all, "and");
}

// "+1 cycle of a with -0.5 cycle of b": steps that cancel.
std::string cancelling_steps(const Indeterminacy& one, const std::vector<ChosenParameter>& parameters) {
  std::string text;
  for (std::size_t i = 0; i < one.parameters.size(); ++i) {
    const ChosenParameter& parameter = parameters[one.parameters[i]];
    text += fmt::format("{}{:+.3g} {} of {}", i == 0 ? "" : " with ", one.steps[i], parameter.unit, parameter.key);
  }
  return text;
}

std::string condition_text(double condition) {
  return std::isinf(condition) ? "they differ by no more than the model's scatter"
                               : fmt::format("condition number {:.2g}", condition);
}

std::string sentence(const Indeterminacy& one, const std::vector<ChosenParameter>& parameters) {
  const std::string keys = keys_of(one, parameters);
  switch (one.kind) {
    case Kind::too_few_residuals:
      return fmt::format(
          "{:.0f} measured values for {} parameters; at least {} are needed: measure more launches, add "
          "a --metric, or choose fewer parameters with --parameter",
          one.figure, parameters.size(), parameters.size());
    case Kind::no_effect:
      return fmt::format(
          "{}: no effect (no prediction changes by more than {:.2g} % across its bounds); {} would show "
          "it",
          keys, 100 * one.figure, measurements_for(one, parameters));
    case Kind::scatter:
      return fmt::format(
          "{}: its effect is lost in the model's own scatter (second difference {:.2g} times the first); "
          "{} would show it",
          keys, one.figure, measurements_for(one, parameters));
    case Kind::not_told_apart:
      return fmt::format(
          "{}: not told apart ({}; {} changes next to nothing); fit fewer of them, or "
          "add {}",
          keys, condition_text(one.figure), cancelling_steps(one, parameters), measurements_for(one, parameters));
    case Kind::wider_than_bounds:
      return fmt::format("{}: its 95 % interval is {:.3g} times as wide as its bounds; {} would narrow it", keys,
                         one.figure, measurements_for(one, parameters));
  }
  return "";
}

}  // namespace

std::string indeterminacy_text(const std::vector<Indeterminacy>& found, const std::vector<ChosenParameter>& parameters,
                               const std::vector<std::size_t>& determined) {
  std::string text = "these measurements do not determine the parameters; nothing was written";
  for (const Indeterminacy& one : found) text += "\n  " + sentence(one, parameters);
  if (determined.empty()) return text;
  text += "\n  what they may determine:";
  for (const std::size_t j : determined) text += " --parameter " + parameters[j].key;
  return text;
}

}  // namespace tilescope::calibrate
