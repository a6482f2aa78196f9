#include "sim/studies/measured/measured_number.h"

#include <charconv>
#include <cmath>
#include <string>

namespace tilescope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits with the commas taken out, or nothing where they do not part groups of three.
std::optional<std::string> without_commas(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::string(text);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::string_view whole = text.substr(0, text.find_first_of(".eE"));
  if (text.find(',', whole.size()) != std::string_view::npos) return std::nullopt;
  std::string digits(text.substr(0, first));
  std::size_t group = 0, groups = 0;
  for (const char c : whole.substr(first)) {
    if (c == ',') {
      if (group == 0 || group > 3 || (groups > 0 && group != 3)) return std::nullopt;
      ++groups;
      group = 0;
    } else {
      digits += c;
      ++group;
    }
  }
  if (group != 3) return std::nullopt;
  return digits + std::string(text.substr(whole.size()));
}

}  // namespace

std::optional<double> measured_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto digits = without_commas(text);
  if (!digits || digits->empty() || !is_digit((*digits)[(*digits)[0] == '-' && digits->size() > 1 ? 1 : 0]))
    return std::nullopt;
  double value = 0;
  const char* const end = digits->data() + digits->size();
  const auto [stopped, error] = std::from_chars(digits->data(), end, value);
  if (error != std::errc{} || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace tilescope
