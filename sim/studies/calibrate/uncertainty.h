// How well a fit knows its parameters.
#pragma once

#include <optional>
#include <vector>

#include "sim/studies/calibrate/sensitivity.h"

namespace tilescope::calibrate {

struct Uncertainty {
  std::vector<std::optional<double>>
      half_width;                                // of the 95 % interval; none at a bound, or without degrees of freedom
  std::vector<std::vector<double>> correlation;  // of the estimates; 0 with a parameter at a bound
  int degrees_of_freedom = 0;
  double residual_deviation = 0;  // s, of a residual
};

// From s^2 (J^T J)^-1 over the parameters that are not at a bound. REQUIRES: no indeterminacies (determination.h).
Uncertainty uncertainty(const std::vector<FitParameter>& parameters, const Point& point, const Residuals& residuals,
                        const Sensitivity& sensitivity);

// The t for which P(|T| < t) = probability, by Student's distribution: how many standard errors an interval spans.
// REQUIRES: degrees_of_freedom >= 1, 0 < probability < 1.
double student_t_two_sided(double probability, int degrees_of_freedom);

enum class AtBound { no, low, high };
AtBound at_bound(const FitParameter& parameter, double value);

}  // namespace tilescope::calibrate
