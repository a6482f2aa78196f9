#include "sim/results/views/chart_frame.h"

#include <algorithm>

namespace tilescope {
namespace {

std::size_t widest(const AxisMarks& marks) {
  std::size_t width = 0;
  for (const auto& [place, text] : marks) width = std::max(width, text.size());
  return width;
}

}  // namespace

int canvas_width(const AxisMarks& vertical, const ChartStyle& style) {
  return std::max(10, style.width - static_cast<int>(widest(vertical)) - 2);
}

std::string framed(const TextCanvas& canvas, const AxisMarks& vertical, const AxisMarks& below, const std::string& name,
                   const ChartStyle& style) {
  const std::size_t left = widest(vertical);
  std::string text;
  const std::vector<std::string> rows = canvas.lines();
  for (int row = 0; row < canvas.rows(); ++row) {
    std::string mark;
    for (const auto& [place, value] : vertical)
      if (place == row) mark = value;
    text += to_the_right(mark, left) + (mark.empty() ? " " : style.ascii ? "-" : "╴");
    text += std::string(style.ascii ? "|" : "│") + rows[static_cast<std::size_t>(row)] + "\n";
  }
  std::string numbers;
  std::vector<bool> ticks(static_cast<std::size_t>(canvas.columns()), false);
  for (const auto& [place, value] : below) {
    const int half = static_cast<int>(value.size()) / 2;
    const int from = std::clamp(place - half, 0, std::max(0, canvas.columns() - static_cast<int>(value.size())));
    if (!numbers.empty() && from < static_cast<int>(numbers.size()) + 1) continue;
    numbers.resize(static_cast<std::size_t>(from), ' ');
    numbers += value;
    ticks[static_cast<std::size_t>(std::clamp(place, 0, canvas.columns() - 1))] = true;
  }
  const std::string margin(left + 1, ' ');
  text += margin + (style.ascii ? "+" : "└");
  for (const bool tick : ticks) text += tick ? (style.ascii ? "+" : "┬") : (style.ascii ? "-" : "─");
  text += "\n" + margin + " " + numbers + "\n";
  const int middle = (canvas.columns() - static_cast<int>(name.size())) / 2;
  if (!name.empty())
    text += margin + " " + std::string(static_cast<std::size_t>(std::max(0, middle)), ' ') + name + "\n";
  return text;
}

}  // namespace tilescope
