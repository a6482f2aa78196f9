// Letter case ignored where people type names: keys, units.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace tilescope {

inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace tilescope
