#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/results/views/number_text.h"
#include "sim/results/views/roofline_view.h"
#include "sim/results/views/svg_picture.h"

namespace tilescope {
namespace {

constexpr double kRoofLeft = 84, kRoofTop = 64, kRoofWide = 620, kRoofHigh = 470, kRoofSide = 320;  // pixels
constexpr const char* kLevelShapes[] = {"square", "triangle", "diamond", "circle"};
constexpr const char* kLevelColours[] = {"#8a5fbf", "#d08a00", "#2f8f4e", "#3366aa"};

// Both axes are logarithmic.
struct RoofPlane {
  double x_low, x_high, y_low, y_high;  // powers of ten, as logarithms

  double x(double intensity) const {
    return kRoofLeft + kRoofWide * (std::log10(intensity) - x_low) / (x_high - x_low);
  }
  double y(double rate) const { return kRoofTop + kRoofHigh * (y_high - std::log10(rate)) / (y_high - y_low); }
  double left() const { return std::pow(10.0, x_low); }
  double right() const { return std::pow(10.0, x_high); }
  double bottom() const { return std::pow(10.0, y_low); }
  // Of a line along which the rate grows as the intensity does, in degrees.
  double slope() const {
    return -std::atan2(kRoofHigh / (y_high - y_low), kRoofWide / (x_high - x_low)) * 180 / std::numbers::pi;
  }
};

RoofPlane plane_of(const RooflineView& view) {
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
  return {std::log10(least_x), std::log10(most_x), std::floor(std::log10(least_y)), std::log10(most_y * 2)};
}

void draw_axes(SvgPicture& picture, const RoofPlane& plane) {
  picture.box(kRoofLeft, kRoofTop, kRoofWide, kRoofHigh, kPanel, "#c5cedb");
  const TextStyle below{11, "middle", kPaleInk}, beside{11, "end", kPaleInk};
  for (int power = static_cast<int>(std::ceil(plane.x_low)); power <= plane.x_high; ++power) {
    const double at = plane.x(std::pow(10.0, power));
    picture.line(at, kRoofTop, at, kRoofTop + kRoofHigh, kGrid);
    picture.text(at, kRoofTop + kRoofHigh + 17, fmt::format("{:g}", std::pow(10.0, power)), below);
  }
  for (int power = static_cast<int>(std::ceil(plane.y_low)); power <= plane.y_high; ++power) {
    const double at = plane.y(std::pow(10.0, power));
    picture.line(kRoofLeft, at, kRoofLeft + kRoofWide, at, kGrid);
    picture.text(kRoofLeft - 8, at + 4, scaled(std::pow(10.0, power), "FLOP/s"), beside);
  }
  picture.text(kRoofLeft + kRoofWide / 2, kRoofTop + kRoofHigh + 38,
               "operations per byte moved at the level (FLOP/byte)", {12, "middle"});
}

// From the left edge, or the bottom, up to the highest arithmetic ceiling.
void draw_memory_roof(SvgPicture& picture, const RoofPlane& plane, double bandwidth, double top, const char* colour,
                      bool measured) {
  const double from = std::max(plane.left(), plane.bottom() / bandwidth);
  const double to = std::min(plane.right(), top / bandwidth);
  if (from >= to) return;
  picture.line(plane.x(from), plane.y(from * bandwidth), plane.x(to), plane.y(to * bandwidth), colour,
               measured ? 1.2 : 1.8, measured ? "5 4" : "", measured ? 0.8 : 1);
}

void draw_roofs(SvgPicture& picture, const RoofPlane& plane, const Ceilings& all) {
  double top = 0, widest = 0;
  for (const Ceiling& one : all.arithmetic) top = std::max(top, one.nominal);
  for (const Ceiling& one : all.memory) widest = std::max(widest, one.nominal);
  std::string before;
  for (std::size_t i = 0; i < all.memory.size(); ++i) {
    const Ceiling& one = all.memory[i];
    if (one.measured) draw_memory_roof(picture, plane, *one.measured, top, kLevelColours[i], true);
    const bool same = i + 1 < all.memory.size() && all.memory[i + 1].nominal == one.nominal;
    if (same) {
      before = one.label + " and ";
      continue;
    }
    draw_memory_roof(picture, plane, one.nominal, top, kLevelColours[i], false);
    const double from = std::max(plane.left(), plane.bottom() / one.nominal);
    const double turn = plane.slope() * std::numbers::pi / 180;
    // A little way along the line, and above it.
    const double x = plane.x(from) + 12 * std::cos(turn) + 5 * std::sin(turn);
    const double y = plane.y(from * one.nominal) + 12 * std::sin(turn) - 5 * std::cos(turn);
    picture.text(x, y, before + one.label + ", " + scaled(one.nominal, "B/s"),
                 {.size = 11, .fill = kLevelColours[i], .bold = true, .turn = plane.slope(), .halo = true});
    before.clear();
  }
  for (const Ceiling& one : all.arithmetic) {
    const double from = std::max(plane.left(), one.nominal / widest);
    picture.line(plane.x(from), plane.y(one.nominal), kRoofLeft + kRoofWide, plane.y(one.nominal), kInk, 1.6);
    if (one.measured)
      picture.line(plane.x(from), plane.y(*one.measured), kRoofLeft + kRoofWide, plane.y(*one.measured), kInk, 1, "5 4",
                   0.6);
    // Below its line where another ceiling is close above it.
    const bool crowded = std::any_of(all.arithmetic.begin(), all.arithmetic.end(), [&](const Ceiling& other) {
      return other.nominal > one.nominal && plane.y(one.nominal) - plane.y(other.nominal) < 24;
    });
    picture.text(kRoofLeft + kRoofWide - 6, plane.y(one.nominal) + (crowded ? 13 : -4),
                 one.label + ", " + scaled(one.nominal, "FLOP/s"),
                 {.size = 11, .anchor = "end", .bold = true, .halo = true});
  }
}

void draw_point(SvgPicture& picture, const RoofPlane& plane, const RooflineView& view, const LabelledPoint& kernel,
                const char* colour) {
  if (!kernel.point || kernel.point->levels.empty()) return;
  const RooflinePoint& point = *kernel.point;
  double least = 1e300, most = 0;
  for (const LevelPoint& level : point.levels) {
    least = std::min(least, level.intensity);
    most = std::max(most, level.intensity);
  }
  const double y = plane.y(point.reached);
  picture.line(plane.x(least), y, plane.x(most), y, colour, 1.2, "", 0.6);
  for (std::size_t i = 0; i < point.levels.size(); ++i) {
    const LevelPoint& level = point.levels[i];
    picture.marker(kLevelShapes[level.level], plane.x(level.intensity), y, point.roof == i ? 15 : 11, colour,
                   fmt::format("{}: {}, {:.3g} FLOP/byte, {}", kernel.label, view.ceilings.memory[level.level].label,
                               level.intensity, scaled(point.reached, "FLOP/s")));
  }
}

// `words` in lines of at most `width` characters; NAME:KEY=VALUE,KEY=VALUE breaks behind its commas.
std::vector<std::string> broken(const std::string& words, std::size_t width) {
  std::vector<std::string> lines{""};
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t comma = words.find_first_of(",:", from);
    const std::size_t to = comma == std::string::npos ? words.size() : comma + 1;
    if (!lines.back().empty() && lines.back().size() + to - from > width) lines.emplace_back();
    lines.back() += words.substr(from, to - from);
    from = to;
  }
  return lines;
}

double draw_kernel_words(SvgPicture& picture, const RooflineView& view, const LabelledPoint& kernel, const char* colour,
                         double y) {
  const double x = kRoofLeft + kRoofWide + 24;
  picture.marker("square", x + 5, y - 4, 11, colour);
  for (const std::string& line : broken(kernel.label, 30)) {
    picture.text(x + 18, y, line, {.size = 12, .bold = true});
    y += 16;
  }
  if (!kernel.point) {
    picture.text(x + 18, y, "no floating-point work is known", {11, "start", kPaleInk});
    return y + 24;
  }
  const RooflinePoint& point = *kernel.point;
  const std::string roof = point.roof ? view.ceilings.memory[point.levels[*point.roof].level].label
                                      : view.ceilings.arithmetic[point.arithmetic].label;
  picture.text(x + 18, y, scaled(point.reached, "FLOP/s"), {11, "start", kPaleInk});
  picture.text(x + 18, y + 15, fmt::format("{:.0f} % of what {} allows", 100 * point.reached / point.allows, roof),
               {11, "start", kPaleInk});
  return y + 40;
}

double words_height(const RooflineView& view) {
  double height = 0;
  for (const LabelledPoint& kernel : view.kernels)
    height += 40 + 16 * static_cast<double>(broken(kernel.label, 30).size());
  return height;
}

}  // namespace

std::string roofline_svg(const RooflineView& view) {
  const double height = std::max(kRoofTop + kRoofHigh + 56, kRoofTop + 160 + words_height(view));
  SvgPicture picture(kRoofLeft + kRoofWide + kRoofSide, height);
  picture.text(kRoofLeft, 30, "Roofline, " + view.gpu, {.size = 18, .bold = true});
  picture.text(kRoofLeft, 50, "solid: nominal ceilings; dashed: measured; each kernel stands once for every level",
               {12, "start", kPaleInk});
  const RoofPlane plane = plane_of(view);
  draw_axes(picture, plane);
  draw_roofs(picture, plane, view.ceilings);
  for (std::size_t i = 0; i < view.kernels.size(); ++i)
    draw_point(picture, plane, view, view.kernels[i], picture_colour(i));

  const double x = kRoofLeft + kRoofWide + 24;
  double y = kRoofTop + 14;
  picture.text(x, y, "bytes counted at", {.size = 12, .bold = true});
  for (std::size_t i = 0; i < view.ceilings.memory.size(); ++i) {
    y += 18;
    picture.marker(kLevelShapes[i], x + 5, y - 4, 11, "#5b6573");
    picture.text(x + 18, y, view.ceilings.memory[i].label, {.size = 12});
  }
  y += 18;
  picture.text(x, y, "large: the level of the lowest roof", {11, "start", kPaleInk});
  y += 34;
  for (std::size_t i = 0; i < view.kernels.size(); ++i)
    y = draw_kernel_words(picture, view, view.kernels[i], picture_colour(i), y);
  return picture.take();
}

}  // namespace tilescope
