// A bar of characters, for terminals.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

namespace tilescope {

// `share` of `width` characters: "#####....."; 0 to 1, beyond that it is full. Something is never nothing.
inline std::string bar_text(double share, int width) {
  const double clamped = std::clamp(share, 0.0, 1.0);
  int filled = static_cast<int>(std::lround(clamped * width));
  if (share > 0) filled = std::max(filled, 1);
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(width - filled), '.');
}

}  // namespace tilescope
