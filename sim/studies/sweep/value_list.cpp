#include "sim/studies/sweep/value_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"

namespace tilescope::sweep {
namespace {

constexpr const char* kForms = "must be start:stop:step, such as 0:8:2, or start:stop:*factor, such as 256:16384:*2";

struct Range {
  double start, stop, step;
  bool factor;
};

std::optional<Range> range_of(const std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  std::string step = text.substr(second + 1);
  const bool factor = step.starts_with('*');
  if (factor) step.erase(0, 1);
  const auto a = parse_real(text.substr(0, first));
  const auto b = parse_real(text.substr(first + 1, second - first - 1));
  const auto c = parse_real(step);
  if (!a || !b || !c) return std::nullopt;
  return Range{*a, *b, *c, factor};
}

// What makes the range impossible, or nothing.
std::optional<std::string> impossible(const Range& range) {
  if (range.start > range.stop) return fmt::format("start {} must not be above stop {}", range.start, range.stop);
  if (range.factor && range.start <= 0) return fmt::format("start {} must be above 0 with a factor", range.start);
  if (range.factor && range.step <= 1) return fmt::format("factor {} must be above 1", range.step);
  if (!range.factor && range.step <= 0) return fmt::format("step {} must be above 0", range.step);
  return std::nullopt;
}

std::string number_text(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 0x1p53;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : fmt::format("{:.10g}", value);
}

}  // namespace

tl::expected<std::vector<std::string>, std::string> listed_values(const std::string& text) {
  if (text.find(':') == std::string::npos) {
    const auto whole = parse_integer(text);
    return std::vector<std::string>{whole ? std::to_string(*whole) : text};
  }
  const auto range = range_of(text);
  if (!range) return tl::unexpected(fmt::format("got {}; {}", in_quotes(text), kForms));
  if (const auto why = impossible(*range))
    return tl::unexpected(fmt::format("impossible range {}: {}", in_quotes(text), *why));

  // A stop that the steps meet but for rounding is one of the values.
  const double end = range->stop + 1e-9 * std::max(std::abs(range->stop), std::abs(range->step));
  std::vector<std::string> values;
  double value = range->start;
  for (std::size_t i = 1; value <= end; ++i) {
    if (values.size() == most_values)
      return tl::unexpected(fmt::format("range {} has more than {} values", in_quotes(text), most_values));
    values.push_back(number_text(value));
    value = range->factor ? value * range->step : range->start + static_cast<double>(i) * range->step;
  }
  return values;
}

}  // namespace tilescope::sweep
