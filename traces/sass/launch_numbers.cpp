#include "traces/sass/launch_numbers.h"

#include <charconv>
#include <limits>

#include "traces/sass/limits.h"

namespace tilescope::sass {

std::optional<std::int64_t> whole_in(const std::string& text) {
  std::int64_t value = 0;
  const char* first = text.data();
  const char* end = first + text.size();
  const bool negative = text.starts_with('-');
  const bool is_hex = text.starts_with("0x");
  if (is_hex) {
    std::uint64_t bits = 0;
    const auto [stop, error] = std::from_chars(first + 2, end, bits, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<std::int64_t>(bits);
  }
  if (!negative && text.size() > 18) {  // the upper half of u64
    std::uint64_t bits = 0;
    const auto [stop, error] = std::from_chars(first, end, bits);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<std::int64_t>(bits);
  }
  const auto [stop, error] = std::from_chars(first, end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> real_in(const std::string& text) {
  if (text == ".inf") return std::numeric_limits<double>::infinity();
  if (text == "-.inf") return -std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> size_in(const std::string& text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return std::nullopt;
  std::string unit(stop, text.data() + text.size());
  while (unit.starts_with(' ')) unit.erase(0, 1);
  const unsigned shift = unit == "KiB" ? 10U : unit == "MiB" ? 20U : unit == "GiB" ? 30U : 0U;
  if (shift == 0 && !unit.empty() && unit != "B") return std::nullopt;
  if (value > kMostBufferAddresses >> shift) return std::nullopt;
  return value << shift;
}

std::optional<std::uint64_t> offset_in(const std::string& text) {
  if (text == "0") return 0;
  if (!text.starts_with("0x")) return size_in(text);
  const auto value = whole_in(text);
  if (!value || static_cast<std::uint64_t>(*value) > kMostBufferAddresses) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

}  // namespace tilescope::sass
