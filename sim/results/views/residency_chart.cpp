#include "sim/results/views/residency_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/views/chart_frame.h"
#include "sim/results/views/chart_scale.h"
#include "sim/results/views/number_text.h"

namespace tilescope {
namespace {

constexpr int kMostResidencyRows = 22, kMostResidencyValues = 6;

// From nothing to all places; something is never nothing.
std::string shade(double share, bool ascii) {
  static constexpr const char* plain[] = {" ", ".", ":", "*", "#"};
  static constexpr const char* blocks[] = {" ", "░", "▒", "▓", "█"};
  const int level = share <= 0 ? 0 : std::clamp(static_cast<int>(std::lround(share * 4)), 1, 4);
  return (ascii ? plain : blocks)[level];
}

// Cycles of CTAs in each cell, one row after the other.
std::vector<double> cta_cycles(const ResidencyChart& chart, double end, int rows, int columns, int sms_per_row) {
  std::vector<double> busy(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0);
  const double cell = end / columns;
  for (const FinishedCta& cta : chart.timeline) {
    const auto from = static_cast<double>(cta.start), to = static_cast<double>(cta.end);
    const auto row = static_cast<std::size_t>(cta.sm / sms_per_row) * static_cast<std::size_t>(columns);
    const int last = std::min(columns - 1, static_cast<int>(to / cell));
    for (int column = static_cast<int>(from / cell); column <= last; ++column)
      busy[row + static_cast<std::size_t>(column)] +=
          std::max(0.0, std::min(to, (column + 1) * cell) - std::max(from, column * cell));
  }
  return busy;
}

}  // namespace

std::string residency_chart(const ResidencyChart& chart, const ChartStyle& style) {
  Cycle ended = std::max<Cycle>(chart.cycles, 1);
  for (const FinishedCta& cta : chart.timeline) ended = std::max(ended, cta.end);
  const auto end = static_cast<double>(ended);
  const int sms_per_row = (chart.sms + kMostResidencyRows - 1) / kMostResidencyRows;
  const int rows = (chart.sms + sms_per_row - 1) / sms_per_row;
  AxisMarks vertical, below;
  for (int row = 0; row < rows; ++row) {
    const int first = row * sms_per_row, last = std::min(chart.sms, first + sms_per_row) - 1;
    vertical.emplace_back(row, first == last ? fmt::format("SM {}", first) : fmt::format("SM {}-{}", first, last));
  }
  TextCanvas canvas(canvas_width(vertical, style), rows, style.ascii);
  const std::vector<double> busy = cta_cycles(chart, end, rows, canvas.columns(), sms_per_row);
  const double cell = end / canvas.columns();
  for (int row = 0; row < rows; ++row) {
    const int sms = std::min(chart.sms - row * sms_per_row, sms_per_row);
    for (int column = 0; column < canvas.columns(); ++column) {
      const double cycles = busy[static_cast<std::size_t>(row) * static_cast<std::size_t>(canvas.columns()) +
                                 static_cast<std::size_t>(column)];
      canvas.put(column, row, shade(cycles / (cell * sms * chart.ctas_per_sm), style.ascii));
    }
  }
  for (const double cycle : round_values({0, end, false}, kMostResidencyValues))
    below.emplace_back(static_cast<int>(cycle / cell), axis_number(cycle));
  std::string name = "cycles";
  if (chart.sm_mhz > 0) name += fmt::format(", 1k = {:.3g} us", 1000 / chart.sm_mhz);
  return chart.title + "\n" + framed(canvas, vertical, below, name, style) +
         fmt::format("'{}' to '{}': up to {} CTA{} on each SM; {} CTAs shown\n", shade(0.01, style.ascii),
                     shade(1, style.ascii), chart.ctas_per_sm, chart.ctas_per_sm == 1 ? "" : "s",
                     grouped(static_cast<double>(chart.timeline.size())));
}

}  // namespace tilescope
