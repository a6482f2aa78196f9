#include "models/support/accepted.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace tilescope {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::string describe(Range<T> range) {
  const bool low = range.low > std::numeric_limits<T>::lowest();
  const bool high = range.high < std::numeric_limits<T>::max();
  if (low && high && range.low == range.high) return fmt::format("exactly {}", range.low);
  if (low && high) return fmt::format("{} to {}", range.low, range.high);
  if (low) return fmt::format("at least {}", range.low);
  if (high) return fmt::format("at most {}", range.high);
  return "any";
}

template <class T>
std::string sentence(std::string_view kind, Range<T> range, std::string_view unit) {
  const std::string limits = describe(range);
  const bool both = limits.find(" to ") != std::string::npos;
  std::string text(kind);
  if (limits != "any") text += (both ? " from " : ", ") + limits;
  if (!unit.empty() && unit != "1") text += limits == "any" ? fmt::format(" of {}", unit) : fmt::format(" {}", unit);
  return text;
}

template <class T>
T stand_in(Range<T> range) {
  return range.low <= 1 && 1 <= range.high ? T{1} : range.low;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_whole<std::int64_t>(text); }

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string accepted(Range<std::int64_t> range, std::string_view unit) {
  return sentence("a whole number", range, unit);
}
std::string accepted(Range<double> range, std::string_view unit) { return sentence("a number", range, unit); }

std::string range_text(Range<std::int64_t> range) { return describe(range); }
std::string range_text(Range<double> range) { return describe(range); }

std::int64_t placeholder(Range<std::int64_t> range) { return stand_in(range); }
double placeholder(Range<double> range) { return stand_in(range); }

}  // namespace tilescope
