#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/results/views/xml_text.h"
#include "sim/studies/compare/compare_view.h"
#include "sim/studies/compare/error_groups.h"

namespace tilescope {
namespace {

constexpr double kSide = 640, kLeft = 80, kTop = 50, kLegend = 220;  // pixels
constexpr const char* kColours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
                                    "#bbbbbb", "#000000", "#e69f00", "#0072b2", "#009e73", "#cc79a7"};

struct Point {
  double measured, predicted;
  std::string group, label;
};

// Both axes from `low` to `high`, powers of ten.
class Plot {
 public:
  Plot(int low, int high) : low_(low), high_(high) {}

  double x(double value) const { return kLeft + kSide * (std::log10(value) - low_) / (high_ - low_); }
  double y(double value) const { return kTop + kSide * (high_ - std::log10(value)) / (high_ - low_); }

  std::string axes() const {
    std::string text =
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", kLeft, kTop,
                    kSide, kSide);
    for (int power = low_; power <= high_; ++power) {
      const double at = std::pow(10.0, power);
      text += fmt::format("<path d=\"M{0:.1f} {1}V{2}M{3} {4:.1f}H{5}\" stroke=\"#ddd\"/>\n", x(at), kTop, kTop + kSide,
                          kLeft, y(at), kLeft + kSide);
      text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">1e{}</text>\n", x(at), kTop + kSide + 18,
                          power);
      text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">1e{}</text>\n", kLeft - 6, y(at) + 4, power);
    }
    return text;
  }

  // predicted = factor measured, inside the frame.
  std::string line(double factor, const char* style) const {
    const double first = std::pow(10.0, low_) * std::max(1.0, 1 / factor);
    const double last = std::pow(10.0, high_) * std::min(1.0, 1 / factor);
    return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x(first), y(first * factor), x(last),
                       y(last * factor), style);
  }

 private:
  int low_, high_;
};

std::vector<Point> points_of(const Comparison& comparison, std::size_t metric) {
  std::vector<Point> points;
  for (const ComparedCase& one : comparison.cases)
    for (const ComparedValue& value : one.values)
      if (value.metric == metric && value.error.measured > 0 && value.error.predicted > 0)
        points.push_back({value.error.measured, value.error.predicted,
                          one.program.empty() ? one.mapped.kernel : one.program, one.label});
  return points;
}

}  // namespace

std::string compare_svg(const Comparison& comparison) {
  const std::size_t metric = 0;  // the first that was compared
  const std::vector<Point> points = comparison.metrics.empty() ? std::vector<Point>{} : points_of(comparison, metric);
  double least = 1e300, most = 1;
  for (const Point& point : points) {
    least = std::min({least, point.measured, point.predicted});
    most = std::max({most, point.measured, point.predicted});
  }
  const int low = points.empty() ? 0 : static_cast<int>(std::floor(std::log10(least)));
  const Plot plot(low, std::max(low + 1, static_cast<int>(std::ceil(std::log10(most)))));
  const std::string name = comparison.metrics.empty() ? "nothing" : comparison.metrics[metric].metric->name;
  const double width = kLeft + kSide + kLegend, height = kTop + kSide + 60;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  text += fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\">{}: {} on {}, {} cases</text>\n", kLeft, xml_text(name),
                      "predicted against measured", xml_text(comparison.gpu), points.size());
  text += plot.axes();
  text += plot.line(1, "stroke=\"#333\"");
  text += plot.line(1.2, "stroke=\"#999\" stroke-dasharray=\"4 3\"");
  text += plot.line(0.8, "stroke=\"#999\" stroke-dasharray=\"4 3\"");
  std::map<std::string, std::size_t> groups;
  std::vector<std::string> in_order;
  for (const Point& point : points) {
    const auto [place, is_new] = groups.emplace(point.group, in_order.size());
    if (is_new) in_order.push_back(point.group);
    text += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\" fill-opacity=\"0.7\"><title>{}: predicted {:g}, "
        "measured {:g}</title></circle>\n",
        plot.x(point.measured), plot.y(point.predicted), kColours[place->second % std::size(kColours)],
        xml_text(point.label), point.predicted, point.measured);
  }
  for (std::size_t i = 0; i < in_order.size(); ++i)
    text +=
        fmt::format("<circle cx=\"{0}\" cy=\"{1}\" r=\"4\" fill=\"{2}\"/><text x=\"{3}\" y=\"{4}\">{5}</text>\n",
                    kLeft + kSide + 16, kTop + 10 + 16 * static_cast<double>(i), kColours[i % std::size(kColours)],
                    kLeft + kSide + 26, kTop + 14 + 16 * static_cast<double>(i), xml_text(in_order[i].substr(0, 28)));
  text +=
      fmt::format("<text x=\"{:.0f}\" y=\"{}\" text-anchor=\"middle\">measured; dashed: 20 % more and less</text>\n",
                  kLeft + kSide / 2, kTop + kSide + 40);
  text += fmt::format(
      "<text transform=\"translate(18 {:.0f}) rotate(-90)\" text-anchor=\"middle\">predicted</text>\n</svg>\n",
      kTop + kSide / 2);
  return text;
}

}  // namespace tilescope
