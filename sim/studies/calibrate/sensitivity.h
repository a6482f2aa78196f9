// How a model's residuals follow its parameters: finite differences that suit a discrete-event simulator.
//
// Such a model is a staircase with some scatter, so steps are a few per cent of a parameter. Three points give the
// second difference too, which says how much of the first is scatter.
#pragma once

#include <functional>
#include <vector>

namespace tilescope::calibrate {

struct FitParameter {
  double low = 0;
  double high = 0;
  double start = 0;    // moved into the bounds
  bool whole = false;  // the model takes whole numbers: it sees them rounded, and steps are whole
};

using Point = std::vector<double>;      // one value per parameter, as the model takes it: see snapped()
using Residuals = std::vector<double>;  // of one point

// The residuals at each of several points, in their order. May throw; what it throws comes through.
using Model = std::function<std::vector<Residuals>(const std::vector<Point>&)>;

// How the residuals follow the parameters around a point.
struct Sensitivity {
  std::vector<Residuals> column;     // by parameter: d residual / d parameter
  std::vector<double> scatter;       // by parameter: norm of the second difference over that of the first; 0 of a line
  std::vector<Point> probes;         // the points it was worked out from
  std::vector<Residuals> at_probes;  // and their residuals
};

// The value that the model sees: within the bounds; whole, or four significant digits.
double snapped(const FitParameter& parameter, double value);

// 5 % of the value, at least 1 % of the bounds' distance, at least 1 where whole.
double difference_step(const FitParameter& parameter, double value);

double sum_of_squares(const Residuals& residuals);

// Differences to both sides; where a bound is in the way, two steps to the other side. A step whose second difference
// is more than half the first is widened, three and nine times, to a quarter of the bounds' distance at most; the
// estimate with the least scatter counts.
Sensitivity sensitivity(const std::vector<FitParameter>& parameters, const Point& point, const Residuals& residuals,
                        const Model& model);

}  // namespace tilescope::calibrate
