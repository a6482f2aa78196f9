#include "sim/results/views/number_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tilescope {

std::string grouped(double whole) {
  std::string digits = fmt::format("{:.0f}", std::abs(whole));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (whole < 0 ? "-" : "") + digits;
}

Scale scale_for(double value) {
  static constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  Scale scale;
  for (const std::string_view prefix : prefixes) {
    scale.prefix = prefix;
    if (std::abs(value) < 1000 * scale.factor || prefix == prefixes.back()) break;
    scale.factor *= 1000;
  }
  return scale;
}

std::string scaled(double value, const std::string& unit) {
  const Scale scale = scale_for(value);
  return fmt::format("{:.4g} {}{}", value / scale.factor, scale.prefix, unit);
}

std::string binary_bytes(double bytes) {
  static constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

}  // namespace tilescope
