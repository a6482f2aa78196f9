#include "sim/results/views/activity_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

constexpr int kActivityLeft = 150, kActivityWidth = 1050, kActivityTop = 56, kWarpRow = 22, kUnitRow = 16,
              kActivityGap = 14;

struct Shade {
  const char* colour;
  const char* text;
};
// What a point of a warp's row can be.
struct Shown {
  enum : std::size_t { issues, fixed, mbarrier, products, memory, shared, barrier, taken, code, drains, kinds };
};
constexpr std::size_t kKindCount = Shown::kinds;
constexpr std::array<Shade, kKindCount> kShades = {{{"#1f3a93", "issues"},
                                                    {"#c9d6ea", "waits out a fixed latency"},
                                                    {"#f0932b", "waits at an mbarrier"},
                                                    {"#2e9e5b", "waits for products of its warpgroup"},
                                                    {"#c0392b", "waits for memory or copies"},
                                                    {"#f6d743", "waits for shared memory or a special function"},
                                                    {"#8e44ad", "waits for other warps, a fence"},
                                                    {"#7f8c8d", "ready: pipe, port or turn taken"},
                                                    {"#5d4037", "waits for code"},
                                                    {"#e8b4c8", "has exited, stores drain"}}};

std::size_t kind_of(const CtaActivity::Wait& wait) {
  switch (wait.reason) {
    case Stall::selected:
      return Shown::issues;
    case Stall::wait:
    case Stall::branch_resolving:
      return Shown::fixed;
    case Stall::long_scoreboard:
      return wait.at_mbarrier ? Shown::mbarrier : Shown::memory;
    case Stall::gmma:
      return Shown::products;
    case Stall::short_scoreboard:
      return Shown::shared;
    case Stall::barrier:
    case Stall::membar:
      return Shown::barrier;
    case Stall::no_instruction:
    case Stall::imc_miss:
      return Shown::code;
    case Stall::drain:
      return Shown::drains;
    default:
      return Shown::taken;
  }
}

class Picture {
 public:
  Picture(Cycle from, Cycle until)
      : from_(from), per_point_(std::max(1.0, static_cast<double>(until - from)) / kActivityWidth) {
    for (std::size_t kind = 1; kind <= kKindCount; ++kind) paths_.emplace_back(kShades[kind % kKindCount].colour, "");
  }

  double x(Cycle when) const { return kActivityLeft + static_cast<double>(when - from_) / per_point_; }
  // Rectangles of one colour are one path; those of issues lie above what warps wait for.
  void rectangle(double left, double right, int top, int height, const char* colour) {
    const auto tenths = [](double x) { return std::round(10 * x) / 10; };
    auto path = std::find_if(paths_.begin(), paths_.end(), [&](const auto& one) { return one.first == colour; });
    if (path == paths_.end()) path = paths_.insert(paths_.end(), {colour, ""});
    const double from = tenths(left), width = std::max(0.3, tenths(right) - from);
    fmt::format_to(std::back_inserter(path->second), "M{:g},{}h{:g}v{}h{:g}z", from, top, tenths(width), height,
                   -tenths(width));
  }
  void write(double left, int base, const std::string& text, const char* anchor = "start", int size = 12) {
    std::string escaped;
    for (const char c : text) {
      if (c == '<' || c == '>' || c == '&')
        escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
      else
        escaped += c;
    }
    fmt::format_to(std::back_inserter(text_),
                   "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", left, base, anchor,
                   size, escaped);
  }
  void line(double at, int top, int bottom) {
    fmt::format_to(std::back_inserter(text_),
                   "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#bbb\"/>\n", at, top, bottom);
  }
  // A warp: runs of points of one kind.
  void warp(const std::vector<CtaActivity::Wait>& waits, int top) {
    std::vector<std::array<double, kKindCount>> points(kActivityWidth);
    for (const auto& wait : waits) {
      double at = static_cast<double>(wait.from - from_) / per_point_;
      const double end = std::min<double>(kActivityWidth, static_cast<double>(wait.until - from_) / per_point_);
      while (at < end) {
        const auto point = static_cast<std::size_t>(at);
        const double next = std::min(end, static_cast<double>(point + 1));
        points[point][kind_of(wait)] += next - at;
        at = next <= at ? static_cast<double>(point + 1) : next;
      }
    }
    const auto best = [](const std::array<double, kKindCount>& of, std::size_t first) {
      const auto most = std::max_element(of.begin() + static_cast<std::ptrdiff_t>(first), of.end());
      return *most > 0 ? static_cast<std::size_t>(most - of.begin()) : kKindCount;
    };
    runs(top, kWarpRow - 4, points, [&](const auto& of) { return best(of, Shown::fixed); });
    // Issues on top, as high as their share of the point.
    for (std::size_t i = 0; i < points.size();) {
      const int height = static_cast<int>(points[i][Shown::issues] * (kWarpRow - 4) + 0.999);
      std::size_t end = i + 1;
      while (end < points.size() && static_cast<int>(points[end][Shown::issues] * (kWarpRow - 4) + 0.999) == height)
        ++end;
      if (height > 0)
        rectangle(kActivityLeft + static_cast<double>(i), kActivityLeft + static_cast<double>(end),
                  top + kWarpRow - 4 - height, height, kShades[Shown::issues].colour);
      i = end;
    }
  }

  std::string text() const {
    std::string all;
    for (const auto& [colour, path] : paths_)
      if (!path.empty()) all += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", colour, path);
    return all + text_;
  }

 private:
  template <class Of>
  void runs(int top, int height, const std::vector<std::array<double, kKindCount>>& points, Of&& of) {
    for (std::size_t i = 0; i < points.size();) {
      const std::size_t kind = of(points[i]);
      std::size_t end = i + 1;
      while (end < points.size() && of(points[end]) == kind) ++end;
      if (kind < kKindCount)
        rectangle(kActivityLeft + static_cast<double>(i), kActivityLeft + static_cast<double>(end), top, height,
                  kShades[kind].colour);
      i = end;
    }
  }

  Cycle from_;
  double per_point_;
  std::vector<std::pair<std::string, std::string>> paths_;  // by colour, lowest first
  std::string text_;
};

// Of 1, 2 or 5 times a power of ten, for about ten marks.
Cycle mark_distance(Cycle span) {
  for (Cycle unit = 1;; unit *= 10)
    for (const Cycle times : {1, 2, 5})
      if (span <= 12 * unit * times) return unit * times;
}

}  // namespace

std::string activity_svg(const CtaActivity& activity, const std::string& title) {
  Cycle from = std::numeric_limits<Cycle>::max(), until = 0;
  for (const auto& waits : activity.warps()) {
    if (waits.empty()) continue;
    from = std::min(from, waits.front().from);
    until = std::max(until, waits.back().until);
  }
  if (from > until) from = until = 0;
  Picture picture(from, until);
  int y = kActivityTop;
  const int rows_top = y;
  picture.write(10, 22, title, "start", 15);
  for (std::size_t w = 0; w < activity.warps().size(); ++w, y += kWarpRow) {
    picture.write(kActivityLeft - 8, y + 14, fmt::format("warp {}", w), "end");
    picture.warp(activity.warps()[w], y);
  }
  y += kActivityGap;
  for (const auto& [barrier, copies] : activity.copies()) {
    picture.write(kActivityLeft - 8, y + 11, fmt::format("copies to {:#x}", barrier), "end");
    for (const auto& copy : copies)
      picture.rectangle(picture.x(copy.from), picture.x(std::min(copy.until, until)) - 1, y, kUnitRow - 4, "#3498db");
    y += kUnitRow;
  }
  if (!activity.copies().empty()) y += kActivityGap;
  for (const auto& [sub, spans] : activity.tensor_cores()) {
    picture.write(kActivityLeft - 8, y + 11, fmt::format("tensor core {}", sub), "end");
    for (const auto& span : spans)
      picture.rectangle(picture.x(span.from), picture.x(span.until), y, kUnitRow - 4, "#16a085");
    y += kUnitRow;
  }
  const Cycle distance = mark_distance(until - from);
  for (Cycle mark = 0; mark <= until - from; mark += distance) {
    picture.line(picture.x(from + mark), rows_top - 6, y);
    picture.write(picture.x(from + mark), rows_top - 10, fmt::format("{}{}", mark, mark == 0 ? " cycles" : ""),
                  "middle", 11);
  }
  y += 2 * kActivityGap;
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    const int column = static_cast<int>(kind % 3), row = static_cast<int>(kind / 3);
    const double left = 40 + 390.0 * column;
    picture.rectangle(left, left + 14, y + 18 * row - 10, 12, kShades[kind].colour);
    picture.write(left + 20, y + 18 * row, kShades[kind].text);
  }
  y += 18 * ((static_cast<int>(kKindCount) + 2) / 3);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
             kActivityLeft + kActivityWidth + 20, y) +
         picture.text() + "</svg>\n";
}

}  // namespace tilescope
