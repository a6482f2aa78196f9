#include <doctest/doctest.h>

#include "sim/studies/compare/error_statistics.h"

using namespace tilescope;

namespace {

std::vector<PredictionError> errors_of(const std::vector<std::pair<double, double>>& pairs, bool in_points = false) {
  std::vector<PredictionError> errors;
  errors.reserve(pairs.size());
  for (const auto& [predicted, measured] : pairs) errors.push_back(prediction_error(predicted, measured, in_points));
  return errors;
}

}  // namespace

TEST_CASE("an error is percent of what was measured, or a difference in points; nothing of nothing is exact") {
  CHECK(prediction_error(110, 100, false).error.value() == doctest::Approx(10));
  CHECK(prediction_error(50, 100, false).error.value() == doctest::Approx(-50));
  CHECK(prediction_error(0, 100, false).error.value() == -100);
  CHECK(prediction_error(0, 0, false).error.value() == 0);
  CHECK(prediction_error(0, 0, false).equal());
  CHECK(!prediction_error(1, 0, false).error.has_value());
  CHECK(prediction_error(70, 60, true).error.value() == 10);
  CHECK(prediction_error(1, 0, true).error.value() == 1);
}

TEST_CASE("statistics of ten known errors") {
  // errors: 0, +1, -2, +3, -4, +5, -6, +7, -8, +20 %
  const auto errors = errors_of({{100, 100},
                                 {101, 100},
                                 {98, 100},
                                 {103, 100},
                                 {96, 100},
                                 {105, 100},
                                 {94, 100},
                                 {107, 100},
                                 {92, 100},
                                 {120, 100}});
  const ErrorStatistics s = error_statistics(errors);
  CHECK(s.cases == 10);
  CHECK(s.equal == 1);
  CHECK(s.undefined == 0);
  CHECK(s.mean == doctest::Approx(5.6));
  CHECK(s.median == doctest::Approx(4.5));
  CHECK(s.p90 == doctest::Approx(8));
  CHECK(s.bias == doctest::Approx(1.6));
  CHECK(s.worst == 9);
  CHECK(s.within_10 == doctest::Approx(90));
  CHECK(!s.log_correlation);  // what was measured never varies
}

TEST_CASE("cases of which 0 was measured are reported apart and spoil no average") {
  const ErrorStatistics s = error_statistics(errors_of({{5, 0}, {0, 0}, {110, 100}, {7, 0}}));
  CHECK(s.cases == 4);
  CHECK(s.undefined == 2);
  CHECK(s.equal == 1);
  CHECK(s.mean == doctest::Approx(5));
  CHECK(s.worst == 2);
  const ErrorStatistics none = error_statistics(errors_of({{5, 0}}));
  CHECK(none.undefined == 1);
  CHECK(!none.worst);
  CHECK(error_statistics({}).cases == 0);
}

TEST_CASE("the correlation of logarithms is 1 for any power law, -1 for its inverse") {
  CHECK(error_statistics(errors_of({{1, 2}, {10, 20}, {100, 200}})).log_correlation.value() == doctest::Approx(1));
  CHECK(error_statistics(errors_of({{1, 1}, {8, 4}, {64, 16}})).log_correlation.value() == doctest::Approx(1));
  CHECK(error_statistics(errors_of({{1, 100}, {10, 10}, {100, 1}})).log_correlation.value() == doctest::Approx(-1));
  CHECK(!error_statistics(errors_of({{1, 2}})).log_correlation);
  CHECK(!error_statistics(errors_of({{1, 2}, {0, 3}, {5, 0}})).log_correlation);
}
