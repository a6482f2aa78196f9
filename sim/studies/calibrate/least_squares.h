// Bounded nonlinear least squares.
//
// Levenberg-Marquardt with Marquardt's scaling, steps projected on the bounds; a parameter at a bound that pulls
// outwards is held there. Eigen's own Levenberg-Marquardt (unsupported/) knows no bounds, and a transformation that
// makes a bounded parameter unbounded hides that it lies at its bound.
#pragma once

#include <functional>
#include <vector>

#include "sim/studies/calibrate/sensitivity.h"

namespace tilescope::calibrate {

enum class Stop { small_change, no_downhill_step, most_iterations, not_begun };

struct Fit {
  Point point;
  Residuals residuals;
  Sensitivity sensitivity;  // at `point`
  int iterations = 0;
  Stop stop = Stop::most_iterations;
};

struct FitOptions {
  int most_iterations = 20;
  double small_change = 1e-4;                        // of the sum of squares, relative: the end
  std::function<bool(const Sensitivity&)> worth_it;  // asked at the start; no: not begun
};

// The least sum of squares found; never larger than at the start. REQUIRES: low < high.
Fit fit(const std::vector<FitParameter>& parameters, const Model& model, const FitOptions& options);

}  // namespace tilescope::calibrate
