#include "sim/studies/calibrate/parameter_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/support/accepted.h"
#include "models/support/spec_tree.h"
#include "models/support/suggest.h"
#include "sim/studies/calibrate/value_places.h"

namespace tilescope::calibrate {
namespace {

struct Value {
  std::string type;  // "integer", "real", ...
  std::string unit;
  double number = 0;
};

std::map<std::string, Value> values_of(const GpuSpec& spec) {
  std::map<std::string, Value> values;
  each_value(spec_tree(spec), [&](const std::string& path, const SpecNode& node) {
    values[path] = {node.type, node.unit, node.value.is_number() ? node.value.get<double>() : 0};
  });
  return values;
}

std::string free_keys() {
  std::vector<std::string> keys;
  for (const FreeParameter& parameter : free_parameters()) keys.emplace_back(parameter.key);
  return list_of(keys, "and");
}

class Chooser {
 public:
  Chooser(const GpuFile& file, const std::vector<const Metric*>& metrics)
      : file_(file),
        values_(values_of(file.spec)),
        places_(value_places(file.text)),
        only_traffic_(std::none_of(metrics.begin(), metrics.end(), [](const Metric* m) { return m->needs_time; })) {}

  void add(const std::string& word) {
    label_ = "--parameter " + word;
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const FreeParameter* about = find_free_parameter(key);
    if (values_.count(key) == 0) return refuse(fmt::format("unknown key{}", nearest(key)));
    if (about == nullptr)
      return refuse(
          fmt::format("not a free parameter, since it is no latency, bandwidth or overhead that moves "
                      "predictions smoothly; free are {}",
                      free_keys()));
    const ValuePlace& place = places_[key];
    if (place.line == 0)
      return refuse(
          fmt::format("{} has other values on the same line of {}; must stand on a line of its own", key, file_.path));
    if (place.source == 'M' || place.source == 'P')
      return refuse(fmt::format("{} ({}:{}: '{}: {}'); only values marked A (assumed) or F (fitted) are free",
                                place.source == 'M' ? "measured" : "published", file_.path, place.line, place.source,
                                place.source_comment));
    if (only_traffic_ && !about->moves_traffic) return refuse("moves time alone, and no chosen metric needs time");
    if (std::any_of(chosen.begin(), chosen.end(), [&](const ChosenParameter& p) { return p.key == key; }))
      return refuse("given more than once");
    ChosenParameter parameter{
        key, values_[key].unit, values_[key].type == "integer", values_[key].number, about->low, about->high, about};
    if (equals == std::string::npos || read_bounds(parameter, word.substr(equals + 1))) chosen.push_back(parameter);
  }

  void add_all_free() {
    for (const FreeParameter& parameter : free_parameters()) {
      const ValuePlace& place = places_[std::string(parameter.key)];
      const bool known = place.source == 'M' || place.source == 'P';
      if (place.line != 0 && !known && (parameter.moves_traffic || !only_traffic_)) add(std::string(parameter.key));
    }
    if (chosen.empty() && errors.empty())
      errors.push_back(
          {file_.path, 0, 0, "no value that the chosen metrics depend on is marked A (assumed) or F (fitted)"});
  }

  std::vector<ChosenParameter> chosen;
  Diagnostics errors;

 private:
  void refuse(const std::string& sentence) { errors.push_back({label_, 0, 0, sentence}); }

  std::string nearest(const std::string& key) const {
    std::vector<std::string> keys;
    for (const auto& [path, value] : values_) keys.push_back(path);
    return did_you_mean(key, keys);
  }

  bool read_bounds(ChosenParameter& parameter, const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const double none = std::nan("");
    parameter.low = parse_real(text.substr(0, colon)).value_or(none);
    parameter.high = parse_real(text.substr(std::min(colon + 1, text.size()))).value_or(none);
    const bool in_form = !parameter.whole ||
                         (std::trunc(parameter.low) == parameter.low && std::trunc(parameter.high) == parameter.high);
    if (!(parameter.low < parameter.high) || !in_form) {
      refuse(fmt::format("got {}; must be LOW:HIGH{} with LOW below HIGH", in_quotes(text),
                         parameter.whole ? ", whole numbers" : ""));
      return false;
    }
    return valid(parameter, parameter.low) && valid(parameter, parameter.high);
  }

  // Whether the GPU may have it, the rules that span several values included.
  bool valid(const ChosenParameter& parameter, double value) {
    const auto spec = spec_with(file_, {{parameter.key, value_text(parameter, value)}});
    if (spec) return true;
    refuse(spec.error().front().message);
    return false;
  }

  const GpuFile& file_;
  std::map<std::string, Value> values_;
  std::map<std::string, ValuePlace> places_;
  bool only_traffic_;
  std::string label_;
};

}  // namespace

tl::expected<std::vector<ChosenParameter>, Diagnostics> choose_parameters(const GpuFile& file,
                                                                          const std::vector<std::string>& words,
                                                                          const std::vector<const Metric*>& metrics) {
  Chooser chooser(file, metrics);
  for (const std::string& word : words) chooser.add(word);
  if (words.empty()) chooser.add_all_free();
  if (!chooser.errors.empty()) return tl::unexpected(std::move(chooser.errors));
  return std::move(chooser.chosen);
}

std::string value_text(const ChosenParameter& parameter, double value) {
  if (parameter.whole) return fmt::format("{}", std::llround(value));
  return fmt::format("{}", value);
}

}  // namespace tilescope::calibrate
