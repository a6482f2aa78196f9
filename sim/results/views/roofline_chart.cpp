#include "sim/results/views/roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/chart_frame.h"
#include "sim/results/views/chart_scale.h"
#include "sim/results/views/number_text.h"

namespace tilescope {
namespace {

constexpr int kRoofRows = 20, kMostRoofValues = 7;

// What marks a roof where it begins, by its place in Ceilings::memory.
constexpr const char* kRoofDigits[] = {"1", "2", "3", "4"};

std::string kernel_letter(std::size_t number) { return {static_cast<char>('a' + number)}; }

struct ChartPlane {
  ChartScale x, y;
};

ChartPlane chart_plane(const RooflineView& view) {
  double least_x = 0.1, most_x = 100, least_y = 1e12, most_y = 0;
  for (const Ceiling& one : view.ceilings.arithmetic) most_y = std::max(most_y, one.nominal);
  for (const LabelledPoint& kernel : view.kernels) {
    if (!kernel.point) continue;
    least_y = std::min(least_y, kernel.point->reached / 2);
    for (const LevelPoint& level : kernel.point->levels) {
      least_x = std::min(least_x, level.intensity / 1.5);
      most_x = std::max(most_x, level.intensity * 1.5);
    }
  }
  const auto power_below = [](double value) { return std::pow(10, std::floor(std::log10(value))); };
  return {{least_x, most_x, true}, {power_below(least_y), most_y * 1.5, true}};
}

std::string roof_lines(const RooflineView& view) {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < view.ceilings.memory.size(); ++i) {
    const Ceiling& one = view.ceilings.memory[i];
    lines.push_back({std::string(kRoofDigits[i]) + " " + one.label, scaled(one.value(), "B/s"),
                     one.measured ? "measured" : "nominal"});
  }
  return aligned_columns(lines);
}

std::string kernel_line(const RooflineView& view, std::size_t number) {
  const LabelledPoint& kernel = view.kernels[number];
  const std::string begin = fmt::format("{} {}: ", kernel_letter(number), kernel.label);
  if (!kernel.point) return begin + "no floating-point work is known\n";
  const RooflinePoint& point = *kernel.point;
  const std::string roof = point.roof ? view.ceilings.memory[point.levels[*point.roof].level].label
                                      : view.ceilings.arithmetic[point.arithmetic].label;
  std::string text = begin + fmt::format("{}, {:.0f} % of what {} allows; FLOP/byte: ", scaled(point.reached, "FLOP/s"),
                                         100 * point.reached / point.allows, roof);
  for (const LevelPoint& level : point.levels)
    text += fmt::format("{}{} {:.3g}", &level == &point.levels.front() ? "" : ", ",
                        view.ceilings.memory[level.level].label, level.intensity);
  return text + "\n";
}

}  // namespace

std::string roofline_chart(const RooflineView& view, const ChartStyle& style) {
  const ChartPlane plane = chart_plane(view);
  const auto row = [&](double rate) { return (1 - plane.y.share(rate)) * (kRoofRows - 1) + 0.5; };
  AxisMarks vertical, below;
  for (const double rate : round_values(plane.y, kMostRoofValues))
    vertical.emplace_back(static_cast<int>(row(rate)), axis_number(rate));
  TextCanvas canvas(canvas_width(vertical, style), kRoofRows, style.ascii);
  const auto column = [&](double intensity) { return plane.x.share(intensity) * (canvas.columns() - 1) + 0.5; };
  for (const double intensity : round_values(plane.x, kMostRoofValues))
    below.emplace_back(static_cast<int>(column(intensity)), axis_number(intensity));

  double top = 0, widest = 0;
  for (const Ceiling& one : view.ceilings.arithmetic) top = std::max(top, one.value());
  for (const Ceiling& one : view.ceilings.memory) widest = std::max(widest, one.value());
  for (const Ceiling& one : view.ceilings.arithmetic)
    canvas.line(column(std::max(plane.x.low, one.value() / widest)), row(one.value()), canvas.columns() - 0.5,
                row(one.value()));
  for (std::size_t i = view.ceilings.memory.size(); i-- > 0;) {
    const double bandwidth = view.ceilings.memory[i].value();
    const double from = std::max(plane.x.low, plane.y.low / bandwidth), to = std::min(plane.x.high, top / bandwidth);
    if (from >= to) continue;
    canvas.line(column(from), row(from * bandwidth), column(to), row(to * bandwidth));
    canvas.put(static_cast<int>(column(from)), static_cast<int>(row(from * bandwidth)), kRoofDigits[i]);
  }
  std::map<int, std::string> names;  // by row: close ones share it
  for (const Ceiling& one : view.ceilings.arithmetic) {
    std::string& name = names[static_cast<int>(row(one.value()))];
    name += (name.empty() ? "" : "; ") + one.label;
  }
  for (const auto& [at, name] : names) canvas.put_text(canvas.columns() - static_cast<int>(name.size()), at, name);
  for (std::size_t i = view.kernels.size(); i-- > 0;) {
    if (!view.kernels[i].point) continue;
    const RooflinePoint& point = *view.kernels[i].point;
    for (const LevelPoint& level : point.levels)
      canvas.put(static_cast<int>(column(level.intensity)), static_cast<int>(row(point.reached)), kernel_letter(i));
  }
  std::string text = "roofline on " + view.gpu + "\nFLOP/s\n" + framed(canvas, vertical, below, "FLOP/byte", style);
  text += roof_lines(view) + "\n";
  for (std::size_t i = 0; i < view.kernels.size(); ++i) text += kernel_line(view, i);
  return text;
}

}  // namespace tilescope
