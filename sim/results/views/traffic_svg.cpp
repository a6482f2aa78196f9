#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/number_text.h"
#include "sim/results/views/svg_picture.h"
#include "sim/results/views/traffic_view.h"

namespace tilescope {
namespace {

constexpr double kTrafficMargin = 30, kTrafficWide = 520, kBarHigh = 17, kBarStep = 23;  // pixels
constexpr double kTrafficWords = 240;                                                    // behind the longest bar

const char* what_a_level_counts(const std::string& name) {
  return name == "lanes_global"   ? "active lanes times their width"
         : name == "lanes_shared" ? "active lanes times their width"
         : name == "shared"       ? "wavefronts of the data stage, 128 bytes each: conflicts count"
         : name == "l1"           ? "sectors of loads and stores"
         : name == "l2"           ? "sectors that SMs read or write"
                                  : "bytes read and written; the mark: each sector that is read, once";
}

std::vector<std::size_t> busy_levels(const TrafficView& view) {
  std::vector<std::size_t> levels;
  for (std::size_t i = 0; !view.kernels.empty() && i < view.kernels.front().traffic.levels.size(); ++i)
    if (std::any_of(view.kernels.begin(), view.kernels.end(),
                    [i](const LabelledTraffic& one) { return one.traffic.levels[i].bytes() > 0; }))
      levels.push_back(i);
  return levels;
}

void draw_level(SvgPicture& picture, const TrafficView& view, std::size_t level, double y) {
  const TrafficLevel& first = view.kernels.front().traffic.levels[level];
  picture.text(kTrafficMargin, y, first.label, {.size = 14, .bold = true});
  picture.text(kTrafficMargin + kTrafficWide, y, what_a_level_counts(first.name), {11, "end", kPaleInk});
  double most = 0;
  for (const auto& [label, traffic] : view.kernels) most = std::max(most, traffic.levels[level].bytes());
  y += 9;
  for (std::size_t i = 0; i < view.kernels.size(); ++i, y += kBarStep) {
    const Traffic& traffic = view.kernels[i].traffic;
    const TrafficLevel& one = traffic.levels[level];
    const double wide = kTrafficWide * one.bytes() / most;
    picture.box(kTrafficMargin, y, kTrafficWide, kBarHigh, kPanel, "none", 2);
    picture.box(
        kTrafficMargin, y, wide > 0 ? std::max(1.5, wide) : 0, kBarHigh, picture_colour(i), "none", 2,
        fmt::format("{}: {} read, {} written", view.kernels[i].label, scaled(one.read, "B"), scaled(one.written, "B")));
    std::string words = scaled(one.bytes(), "B");
    if (first.name == "hbm" && traffic.least_read && *traffic.least_read > 0) {
      const double at = kTrafficMargin + kTrafficWide * *traffic.least_read / most;
      if (at <= kTrafficMargin + kTrafficWide) picture.line(at, y - 2, at, y + kBarHigh + 2, kInk, 2);
      words += fmt::format(", reads {:.3g} x the least", one.read / *traffic.least_read);
    }
    picture.text(kTrafficMargin + kTrafficWide + 10, y + 13, words, {.size = 12});
  }
}

}  // namespace

std::string traffic_svg(const TrafficView& view) {
  const std::vector<std::size_t> levels = busy_levels(view);
  const double block = 36 + kBarStep * static_cast<double>(view.kernels.size());
  const double heading = 62 + 19 * static_cast<double>(view.kernels.size());
  SvgPicture picture(2 * kTrafficMargin + kTrafficWide + kTrafficWords,
                     heading + block * static_cast<double>(levels.size()) + 12);
  picture.text(kTrafficMargin, 32, "Traffic, " + view.gpu, {.size = 18, .bold = true});
  double y = 58;
  for (std::size_t i = 0; i < view.kernels.size(); ++i, y += 19) {
    picture.box(kTrafficMargin, y - 10, 12, 12, picture_colour(i), "none", 2);
    picture.text(kTrafficMargin + 19, y, view.kernels[i].label, {.size = 12});
  }
  y = heading + 20;
  for (const std::size_t level : levels) {
    draw_level(picture, view, level, y);
    y += block;
  }
  return picture.take();
}

}  // namespace tilescope
