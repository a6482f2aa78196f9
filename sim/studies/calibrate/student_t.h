// Student's t: how many standard errors an interval spans.
#pragma once

namespace tilescope::calibrate {

// The t for which P(|T| < t) = probability. REQUIRES: degrees_of_freedom >= 1, 0 < probability < 1.
// From the finite series for whole degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4), solved by bisection.
double student_t_two_sided(double probability, int degrees_of_freedom);

}  // namespace tilescope::calibrate
