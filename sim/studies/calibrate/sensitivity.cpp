#include "sim/studies/calibrate/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace tilescope::calibrate {
namespace {

constexpr double kTooMuchScatter = 0.5;  // widen the step beyond this ratio of second to first difference
constexpr double kWiden = 3;
constexpr int kWidenings = 2;
constexpr double kWidest = 0.25;  // of the bounds' distance

// `point` with one parameter elsewhere.
Point moved(const Point& point, std::size_t j, double value) {
  Point other = point;
  other[j] = value;
  return other;
}

struct Stencil {
  double first;   // the two other values of the parameter
  double second;  // the farther one, or the one on the other side
};

Stencil stencil(const FitParameter& parameter, double value, double step) {
  const bool fits_up = value + step <= parameter.high;
  const bool fits_down = value - step >= parameter.low;
  if (fits_up && fits_down) return {value - step, value + step};
  if (fits_up) return {value + step, std::min(value + 2 * step, parameter.high)};
  if (fits_down) return {value - step, std::max(value - 2 * step, parameter.low)};
  return {parameter.low, parameter.high};  // bounds closer than a step
}

struct Difference {
  Residuals column;
  double scatter = 0;
};

// From the residuals at a point and at two probes of its parameter j.
Difference difference(const Point& point, const Residuals& residuals, std::size_t j, const Point& probe_a,
                      const Residuals& a, const Point& probe_b, const Residuals& b) {
  const double xa = probe_a[j];
  const double xb = probe_b[j];
  // The three points in order, as near to evenly spaced as bounds and rounding let them be.
  const bool between = (xa < point[j]) != (xb < point[j]);
  const Residuals& begin = between ? a : residuals;
  const Residuals& middle = between ? residuals : a;
  const double x0 = between ? xa : point[j];
  const double x1 = between ? point[j] : xa;
  const double share = xb == x0 ? 0 : (x1 - x0) / (xb - x0);  // one half when evenly spaced
  Difference result{Residuals(residuals.size()), 0};
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double rise = b[i] - begin[i];
    const double bend = 2 * (begin[i] + share * rise - middle[i]);
    result.column[i] = xb == x0 ? 0 : rise / (xb - x0);
    first += rise * rise;
    second += bend * bend;
  }
  const double all = std::numeric_limits<double>::infinity();
  result.scatter = first > 0 ? std::sqrt(second / first) : second > 0 ? all : 0;
  return result;
}

}  // namespace

double snapped(const FitParameter& parameter, double value) {
  const double rounded =
      parameter.whole ? std::round(value) : std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
  return std::clamp(rounded, parameter.low, parameter.high);
}

double difference_step(const FitParameter& parameter, double value) {
  const double step = std::max(0.05 * std::abs(value), 0.01 * (parameter.high - parameter.low));
  return parameter.whole ? std::max(1.0, std::round(step)) : step;
}

double sum_of_squares(const Residuals& residuals) {
  double sum = 0;
  for (const double r : residuals) sum += r * r;
  return sum;
}

Sensitivity sensitivity(const std::vector<FitParameter>& parameters, const Point& point, const Residuals& residuals,
                        const Model& model) {
  Sensitivity result;
  result.column.assign(parameters.size(), Residuals(residuals.size(), 0.0));
  result.scatter.assign(parameters.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> open(parameters.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  double factor = 1;
  for (int widening = 0; widening <= kWidenings && !open.empty(); ++widening, factor *= kWiden) {
    std::vector<Point> probes;
    for (const std::size_t j : open) {
      const FitParameter& p = parameters[j];
      const double smallest = difference_step(p, point[j]);
      const double step = std::max(smallest, std::min(smallest * factor, kWidest * (p.high - p.low)));
      const Stencil values = stencil(p, point[j], step);
      probes.push_back(moved(point, j, snapped(p, values.first)));
      probes.push_back(moved(point, j, snapped(p, values.second)));
    }
    const std::vector<Residuals> at = model(probes);
    std::vector<std::size_t> still_open;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::size_t j = open[i];
      Difference found = difference(point, residuals, j, probes[2 * i], at[2 * i], probes[2 * i + 1], at[2 * i + 1]);
      if (found.scatter > kTooMuchScatter) still_open.push_back(j);
      if (!(found.scatter < result.scatter[j])) continue;
      result.scatter[j] = found.scatter;
      result.column[j] = std::move(found.column);
    }
    result.probes.insert(result.probes.end(), probes.begin(), probes.end());
    result.at_probes.insert(result.at_probes.end(), at.begin(), at.end());
    open = std::move(still_open);
  }
  return result;
}

}  // namespace tilescope::calibrate
