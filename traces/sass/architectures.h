// The architectures whose machine code is understood: where parameters lie and what instructions mean is known of
// these.
#pragma once

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace tilescope::sass {

inline constexpr int kKnownArchitectures[] = {80, 86, 87, 89, 90};
inline constexpr std::string_view kArchitectures = "sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a";

constexpr bool is_known_architecture(int architecture) {
  return std::find(std::begin(kKnownArchitectures), std::end(kKnownArchitectures), architecture) !=
         std::end(kKnownArchitectures);
}

// "sm_90", "sm_90a" or "90" -> 90; 0 for any that is not known.
inline int architecture_of(std::string_view text) {
  if (text.starts_with("sm_")) text.remove_prefix(3);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool whole = rest.empty() || (value == 90 && rest == "a");
  return error == std::errc() && whole && is_known_architecture(value) ? value : 0;
}

}  // namespace tilescope::sass
