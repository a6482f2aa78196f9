#include "sim/results/views/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/results/views/chart_frame.h"
#include "sim/results/views/chart_scale.h"

namespace tilescope {
namespace {

constexpr int kLineRows = 18, kMostLineValues = 6;

struct Extent {
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  void add(double value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
};

// As the study writes it, where that is short.
std::string x_number(double value) { return std::abs(value) < 1e6 ? fmt::format("{:.6g}", value) : axis_number(value); }

ChartScale scale_over_x(const Extent& x) {
  if (x.least == x.greatest) return {x.least - 1, x.greatest + 1, false};
  return {x.least, x.greatest, x.least > 0 && x.greatest > 8 * x.least};
}

ChartScale scale_over_y(const Extent& y, bool logarithmic) {
  if (!logarithmic) return scale_from_zero(y.least, y.greatest, kMostLineValues);
  return {std::pow(10, std::floor(std::log10(y.least))), std::pow(10, std::floor(std::log10(y.greatest)) + 1), true};
}

}  // namespace

std::string line_chart(const LineChart& chart, const ChartStyle& style) {
  Extent x, y;
  std::set<double> places;
  for (const ChartSeries& one : chart.series)
    for (const auto& [at, value] : one.points) {
      x.add(at);
      y.add(value);
      places.insert(at);
    }
  const ChartScale across = scale_over_x(x), up = scale_over_y(y, chart.logarithmic_y);
  const auto row = [&](double value) { return (1 - up.share(value)) * (kLineRows - 1) + 0.5; };
  AxisMarks vertical, below;
  for (const double value : round_values(up, kMostLineValues))
    vertical.emplace_back(static_cast<int>(row(value)), axis_number(value));
  TextCanvas canvas(canvas_width(vertical, style), kLineRows, style.ascii);
  const auto column = [&](double at) { return across.share(at) * (canvas.columns() - 1) + 0.5; };
  for (const double at : places) below.emplace_back(static_cast<int>(column(at)), x_number(at));

  std::string legend;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto& points = chart.series[i].points;
    for (std::size_t p = 1; p < points.size(); ++p)
      canvas.line(column(points[p - 1].first), row(points[p - 1].second), column(points[p].first),
                  row(points[p].second));
    if (!chart.series[i].label.empty())
      legend += (legend.empty() ? "" : "   ") + series_mark(i, style.ascii) + " " + chart.series[i].label;
  }
  for (std::size_t i = chart.series.size(); i-- > 0;)  // the first ones on top
    for (const auto& [at, value] : chart.series[i].points)
      canvas.put(static_cast<int>(column(at)), static_cast<int>(row(value)), series_mark(i, style.ascii));
  return chart.y_name + "\n" + framed(canvas, vertical, below, chart.x_name, style) +
         (legend.empty() ? "" : legend + "\n");
}

}  // namespace tilescope
