// How charts for terminals are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace tilescope {

struct ChartStyle {
  int width = 80;      // characters of a line
  bool ascii = false;  // nothing but ASCII; otherwise blocks and Braille dots of Unicode
};

inline constexpr int kLeastChartWidth = 40, kMostChartWidth = 400;
inline constexpr std::size_t kMostSeries = 8;

// Of the series `number`, below kMostSeries.
inline std::string series_mark(std::size_t number, bool ascii) {
  static constexpr const char* plain[kMostSeries] = {"o", "x", "+", "*", "#", "@", "%", "&"};
  static constexpr const char* marks[kMostSeries] = {"●", "■", "▲", "◆", "○", "□", "△", "◇"};
  return (ascii ? plain : marks)[number];
}

inline std::string to_the_right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace tilescope
