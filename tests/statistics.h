// What tests ask of many values.
#pragma once

#include <vector>

namespace tilescope::test {

// The mean of the squares less the square of the mean. REQUIRES: not empty.
inline double variance(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double one : values) {
    sum += one;
    squares += one * one;
  }
  const auto n = static_cast<double>(values.size());
  return squares / n - sum / n * (sum / n);
}

}  // namespace tilescope::test
