#include "sim/results/views/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/views/chart_scale.h"

namespace tilescope {
namespace {

// `share` of `width` characters, in eighths of one.
std::string block_bar(double share, int width, bool ascii) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(std::max(share, 0.0) * width * 8));
  std::string bar;
  if (ascii) return std::string(static_cast<std::size_t>((eighths + 4) / 8), '#');
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + parts[eighths % 8];
}

int bar_characters(double share, int width, bool ascii) {
  const int eighths = static_cast<int>(std::lround(std::max(share, 0.0) * width * 8));
  return ascii ? (eighths + 4) / 8 : (eighths + 7) / 8;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

}  // namespace

std::string bar_chart(const std::string& name, const std::vector<ChartBar>& bars, const ChartStyle& style) {
  std::size_t words = 0, series = 0, numbers = 0;
  double greatest = 0;
  for (const ChartBar& bar : bars) {
    words = std::max(words, bar.word.size());
    series = std::max(series, bar.series.size());
    numbers = std::max(numbers, axis_number(bar.value).size());
    greatest = std::max(greatest, bar.value);
  }
  const std::size_t beside = words + 2 + (series > 0 ? series + 2 : 0) + numbers + 2;
  const int width = std::max(10, style.width - static_cast<int>(beside));
  std::string text = name + "\n";
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const ChartBar& bar = bars[i];
    const double share = greatest > 0 ? bar.value / greatest : 0;
    text += padded(i > 0 && bars[i - 1].word == bar.word ? "" : bar.word, words) + "  ";
    if (series > 0) text += padded(bar.series, series) + "  ";
    text += block_bar(share, width, style.ascii);
    text += std::string(static_cast<std::size_t>(width - bar_characters(share, width, style.ascii)) + 2, ' ');
    text += to_the_right(axis_number(bar.value), numbers) + "\n";
  }
  return text;
}

}  // namespace tilescope
