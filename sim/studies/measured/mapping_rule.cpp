#include "sim/studies/measured/mapping_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "models/support/suggest.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"
#include "traces/kernels/registry.h"

namespace tilescope {
namespace {

const std::vector<std::string> kRuleKeys = {"match", "kernel", "parameters", "launch", "let", "skip"};
const std::vector<std::string> kDimensions = {"grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z"};

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

class MappingRuleReader {
 public:
  explicit MappingRuleReader(const std::string& name) : file_{name, 1, 1} {}

  tl::expected<std::vector<MappingRule>, Diagnostics> read(const YAML::Node& root) {
    rules(root);
    if (errors_.empty()) return std::move(rules_);
    std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    return tl::unexpected(std::move(errors_));
  }

 private:
  void error(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }
  void error(const YAML::Node& node, std::string message) { error(place_of(node, file_), std::move(message)); }

  void rules(const YAML::Node& root) {
    if (!root.IsMap()) return error(root, fmt::format("got {}; must be a map with the key rules", seen(root)));
    YamlSection section(root, "", file_, errors_);
    const YamlSection::Entry* list = section.take("rules");
    section.refuse_unknown({"rules"}, errors_);
    if (list == nullptr) return error(file_, "rules: missing; must be a list of rules");
    if (!list->value.IsSequence() || list->value.size() == 0)
      return error(list->key_place, "rules: got " + (list->value.IsSequence() ? "an empty list" : seen(list->value)) +
                                        "; must be a list of rules");
    for (const YAML::Node& node : list->value) rule(node);
  }

  void rule(const YAML::Node& node) {
    if (!node.IsMap()) return error(node, fmt::format("rule: got {}; must be a map with match", seen(node)));
    YamlSection section(node, "", place_of(node, file_), errors_);
    MappingRule rule;
    const YamlSection::Entry* match = section.take("match");
    const YamlSection::Entry* skip = section.take("skip");
    const YamlSection::Entry* kernel = section.take("kernel");
    const YamlSection::Entry* parameters = section.take("parameters");
    const YamlSection::Entry* launch = section.take("launch");
    const YamlSection::Entry* names = section.take("let");
    section.refuse_unknown(kRuleKeys, errors_);
    if (match == nullptr)
      error(section.place(), "match: missing; must be a regular expression of kernels' names");
    else
      pattern(*match, rule);
    if (skip != nullptr && (kernel != nullptr || parameters != nullptr || launch != nullptr))
      error(skip->key_place, "skip: stands beside kernel, parameters or launch; must stand alone");
    else if (launch != nullptr && parameters != nullptr)
      error(launch->key_place, "launch: stands beside parameters; a launch file has none");
    else if (skip != nullptr)
      rule.skip = text_of(*skip, "the reason, one sentence").value_or("");
    else if (launch == nullptr && names != nullptr)
      error(names->key_place, "let: names formulas for launch, which is missing");
    else if (launch != nullptr)
      compiled(kernel, *launch, names, rule);
    else if (kernel != nullptr)
      what(*kernel, parameters, rule);
    else
      error(section.place(),
            "kernel: missing; must be the name of a built-in kernel, or skip with a reason in its place");
    rules_.push_back(std::move(rule));
  }

  // The entry's scalar, or an error.
  std::optional<std::string> text_of(const YamlSection::Entry& entry, const char* wanted) {
    if (entry.value.IsScalar() && !entry.value.Scalar().empty()) return entry.value.Scalar();
    error(entry.key_place, fmt::format("{}: got {}; must be {}", entry.key, seen(entry.value), wanted));
    return std::nullopt;
  }

  void pattern(const YamlSection::Entry& match, MappingRule& rule) {
    const auto text = text_of(match, "a regular expression of kernels' names");
    if (!text) return;
    auto pattern = NamePattern::make(*text);
    if (pattern)
      rule.match = std::move(*pattern);
    else
      error(match.value,
            fmt::format("match: got {}; must be a regular expression ({})", in_quotes(*text), pattern.error()));
  }

  void compiled(const YamlSection::Entry* kernel, const YamlSection::Entry& launch, const YamlSection::Entry* names,
                MappingRule& rule) {
    if (names != nullptr) let(*names, rule);
    if (kernel == nullptr) return error(launch.key_place, "kernel: missing; must be a name for the family in reports");
    rule.kernel = text_of(*kernel, "a name for the family in reports").value_or("");
    const auto text = text_of(launch, "the text of a launch file (launch: |)");
    if (!text) return;
    try {
      rule.launch = LaunchTemplate(*text);
      for (const RowExpression& formula : rule.launch.formulas())
        check_names(formula, launch.key_place, "launch: ", rule);
    } catch (const ExpressionError& broken) {
      const std::string before = text->substr(0, broken.column - 1);
      const auto line = std::count(before.begin(), before.end(), '\n') + 1;
      error(launch.key_place, fmt::format("launch: in line {} of its text: {}", line, broken.sentence));
    }
  }

  void let(const YamlSection::Entry& names, MappingRule& rule) {
    if (!names.value.IsMap())
      return error(names.key_place, fmt::format("let: got {}; must be a map of names and formulas", seen(names.value)));
    for (const auto& pair : names.value) {
      const Place place = place_of(pair.second, names.key_place);
      const std::string text = pair.second.IsScalar() ? pair.second.Scalar() : "";
      try {
        RowExpression formula(text);
        check_names(formula, place, "let." + pair.first.Scalar() + ": ", rule);
        rule.names.emplace_back(pair.first.Scalar(), std::move(formula));
      } catch (const ExpressionError& broken) {
        error(place,
              fmt::format("let.{}: in the formula {}: {}", pair.first.Scalar(), in_quotes(text), broken.sentence));
      }
    }
  }

  void what(const YamlSection::Entry& kernel, const YamlSection::Entry* parameters, MappingRule& rule) {
    const auto name = text_of(kernel, "the name of a built-in kernel");
    if (!name) return;
    const std::vector<KernelInfo> all = builtin_kernels();
    const auto info = std::find_if(all.begin(), all.end(), [&](const KernelInfo& one) { return one.name == *name; });
    if (info == all.end())
      return error(kernel.value, fmt::format("kernel: got {}{}; must be {}", in_quotes(*name),
                                             did_you_mean(*name, names_of(all)), list_of(names_of(all))));
    rule.kernel = *name;
    if (parameters == nullptr) return;
    const YAML::Node& node = parameters->value;
    rule.row_parameters = node.IsScalar() && node.Scalar() == "row";
    if (rule.row_parameters) return;
    if (!node.IsMap())
      return error(parameters->key_place,
                   fmt::format("parameters: got {}; must be a map of parameters, or row", seen(node)));
    YamlSection section(node, "parameters.", place_of(node, file_), errors_);
    for (const ParameterInfo& parameter : info->parameters)
      if (const YamlSection::Entry* entry = section.take(parameter.name)) value(*entry, parameter, rule);
    const std::vector<std::string> known = names_of(info->parameters);
    for (const YamlSection::Entry& entry : section.entries())
      if (!entry.known)
        error(entry.key_place, fmt::format("parameters.{}: unknown{}; {} has {}", entry.key,
                                           did_you_mean(entry.key, known), info->name, list_of(known, "and")));
  }

  void value(const YamlSection::Entry& entry, const ParameterInfo& parameter, MappingRule& rule) {
    MappingRule::Value& value = rule.values.emplace_back();
    value.parameter = parameter.name;
    const YAML::Node& node = entry.value;
    const std::string word = node.IsScalar() ? node.Scalar() : "";
    if (std::find(parameter.words.begin(), parameter.words.end(), word) != parameter.words.end()) {
      value.word = word;
    } else if (node.IsSequence() && node.size() > 0) {
      for (const YAML::Node& one : node) formula(one, entry, rule);
    } else {
      formula(node, entry, rule);
    }
  }

  void check_names(const RowExpression& formula, const Place& place, const std::string& begin,
                   const MappingRule& rule) {
    if (formula.highest_capture() > rule.match.groups())
      error(place, fmt::format("{}got ${}; the rule's pattern captures {}", begin, formula.highest_capture(),
                               rule.match.groups()));
    for (const std::string& name : formula.names())
      if (name.find('.') != std::string::npos && name.find("__") == std::string::npos &&
          std::find(kDimensions.begin(), kDimensions.end(), name) == kDimensions.end())
        error(place, fmt::format("{}unknown name {}{}; must be a column of the row, a counter, {}", begin,
                                 in_quotes(name), did_you_mean(name, kDimensions), list_of(kDimensions)));
  }

  void formula(const YAML::Node& node, const YamlSection::Entry& entry, MappingRule& rule) {
    const Place place = place_of(node, entry.key_place);
    const std::string begin = "parameters." + entry.key + ": ";
    if (!node.IsScalar())
      return error(place, begin + "got " + seen(node) + "; must be a formula such as m, $1 or grid.x*32");
    try {
      RowExpression formula(node.Scalar());
      check_names(formula, place, begin, rule);
      rule.values.back().alternatives.push_back(std::move(formula));
    } catch (const ExpressionError& broken) {
      const int quote = node.Tag() == "!" ? 1 : 0;  // yaml-cpp's tag of a scalar in quotes
      error({place.file, place.line, place.column + quote + static_cast<int>(broken.column) - 1},
            begin + "in the formula " + in_quotes(node.Scalar()) + ": " + broken.sentence);
    }
  }

  Place file_;
  Diagnostics errors_;
  std::vector<MappingRule> rules_;
};

}  // namespace

tl::expected<std::vector<MappingRule>, Diagnostics> read_mapping_rules(const std::string& text,
                                                                       const std::string& name) {
  const auto root = parse_yaml(text, name);
  if (!root) return tl::unexpected(Diagnostics{root.error()});
  return MappingRuleReader(name).read(*root);
}

}  // namespace tilescope
