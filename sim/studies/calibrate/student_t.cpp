#include "sim/studies/calibrate/student_t.h"

#include <cmath>
#include <numbers>

namespace tilescope::calibrate {
namespace {

// P(|T| < t).
double within(double t, int degrees_of_freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees_of_freedom)));
  const double cosine = std::cos(angle);
  const bool odd = degrees_of_freedom % 2 != 0;
  double term = odd ? cosine : 1;
  double sum = 0;
  for (int k = odd ? 1 : 0; k <= degrees_of_freedom - 2; k += 2) {
    sum += term;
    term *= cosine * cosine * (k + 1) / (k + 2);
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

}  // namespace

double student_t_two_sided(double probability, int degrees_of_freedom) {
  double low = 0;
  double high = 1;
  while (within(high, degrees_of_freedom) < probability) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, degrees_of_freedom) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace tilescope::calibrate
