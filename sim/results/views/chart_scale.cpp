#include "sim/results/views/chart_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/views/number_text.h"

namespace tilescope {
namespace {

// The least of 1, 2, 5, 10, ... that divides `span` into at most `most` parts.
double round_step(double span, int most) {
  const double least = span / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

double ChartScale::share(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

std::vector<double> round_values(const ChartScale& scale, int most) {
  std::vector<double> values;
  if (scale.logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log10(scale.low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(scale.high) + 1e-9));
    const int step = std::max(1, (last - first + most) / most);
    for (int power = first; power <= last; power += step) values.push_back(std::pow(10.0, power));
    return values;
  }
  const double step = round_step(scale.high - scale.low, most);
  const auto first = std::llround(std::ceil(scale.low / step - 1e-9));
  const auto last = std::llround(std::floor(scale.high / step + 1e-9));
  for (auto i = first; i <= last; ++i) values.push_back(static_cast<double>(i) * step);
  return values;
}

ChartScale scale_from_zero(double least, double greatest, int most_values) {
  ChartScale scale{std::min(least, 0.0), std::max(greatest, 0.0), false};
  if (scale.low == scale.high) scale.high = 1;
  const double step = round_step(scale.high - scale.low, most_values);
  scale.low = scale.low < 0 ? step * std::floor(scale.low / step + 1e-9) : 0;
  scale.high = step * std::ceil(scale.high / step - 1e-9);
  return scale;
}

std::string axis_number(double value) {
  const Scale scale = scale_for(value);
  return fmt::format("{:.4g}{}", value / scale.factor, scale.prefix);
}

}  // namespace tilescope
