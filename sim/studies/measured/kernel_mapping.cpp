#include "sim/studies/measured/kernel_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/support/text_file.h"
#include "sim/studies/measured/mapping_rule.h"

namespace tilescope {
namespace {

std::optional<std::string> dimension(const std::optional<Dim3>& size, char axis) {
  if (!size) return std::nullopt;
  return std::to_string(axis == 'x' ? size->x : axis == 'y' ? size->y : size->z);
}

std::optional<std::string> value_of(const Measurement& row, const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos && dot + 2 == name.size()) {
    if (name.starts_with("grid.")) return dimension(row.grid, name.back());
    if (name.starts_with("block.")) return dimension(row.block, name.back());
  }
  const auto column = row.columns.find(name);
  if (column != row.columns.end()) return column->second;
  const auto metric = row.metric(name);
  if (!metric) return std::nullopt;
  return *metric == std::floor(*metric) ? fmt::format("{:.0f}", *metric) : fmt::format("{}", *metric);
}

// The value of a parameter; throws ExpressionError.
std::string value_of(const MappingRule::Value& value, const RowValues& row) {
  if (value.alternatives.empty()) return value.word;
  for (const RowExpression& formula : value.alternatives) {
    const std::vector<std::string> names = formula.names();
    if (std::all_of(names.begin(), names.end(), [&](const std::string& name) { return row.name(name).has_value(); }))
      return formula.value(row);
  }
  return value.alternatives.front().value(row);  // says what is missing
}

tl::expected<MappedKernel, std::string> apply(const MappingRule& rule, const std::vector<std::string>& captures,
                                              const Measurement& row) {
  if (!rule.skip.empty()) return tl::unexpected("skipped: " + rule.skip);
  MappedKernel mapped{rule.kernel, {}, "", ""};
  if (rule.row_parameters) mapped.parameters = row.parameters;
  RowValues values;
  values.captures = captures;
  values.name = [&row](const std::string& name) { return value_of(row, name); };
  for (const MappingRule::Value& value : rule.values) {
    try {
      mapped.parameters[value.parameter] = value_of(value, values);
    } catch (const ExpressionError& error) {
      return tl::unexpected(fmt::format("{} of {}: {}", value.parameter, rule.kernel, error.sentence));
    }
  }
  if (rule.launch.empty()) return mapped;
  std::map<std::string, std::string> named;
  values.name = [&](const std::string& name) {
    const auto own = named.find(name);
    return own != named.end() ? own->second : value_of(row, name);
  };
  try {
    for (const auto& [name, formula] : rule.names) named[name] = formula.value(values);
    mapped.launch = rule.launch.filled(values);
  } catch (const ExpressionError& error) {
    return tl::unexpected(fmt::format("launch of {}: {}", rule.kernel, error.sentence));
  }
  return mapped;
}

}  // namespace

KernelMapping::KernelMapping(std::vector<MappingRule> rules, std::string file)
    : rules_(std::move(rules)), file_(std::move(file)) {}
KernelMapping::~KernelMapping() = default;
KernelMapping::KernelMapping(KernelMapping&&) noexcept = default;
KernelMapping& KernelMapping::operator=(KernelMapping&&) noexcept = default;

tl::expected<KernelMapping, Diagnostics> KernelMapping::read(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(Diagnostics{text.error()});
  return read_text(*text, path);
}

tl::expected<KernelMapping, Diagnostics> KernelMapping::read_text(const std::string& text, const std::string& name) {
  auto rules = read_mapping_rules(text, name);
  if (!rules) return tl::unexpected(std::move(rules.error()));
  return KernelMapping(std::move(*rules), name);
}

tl::expected<MappedKernel, std::string> KernelMapping::map(const Measurement& row) const {
  for (const MappingRule& rule : rules_) {
    const std::vector<std::string> captures = rule.match.captures(row.kernel);
    if (captures.empty()) continue;
    auto mapped = apply(rule, captures, row);
    if (mapped && !mapped->launch.empty()) mapped->launch_beside = file_;
    return mapped;
  }
  return tl::unexpected(std::string("no rule of the mapping matches its name"));
}

}  // namespace tilescope
