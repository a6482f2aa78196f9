#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "sim/studies/calibrate/least_squares.h"
#include "sim/studies/calibrate/uncertainty.h"

using namespace tilescope::calibrate;

namespace {

using OnePoint = std::function<Residuals(const Point&)>;

Model each(const OnePoint& residuals) {
  return [residuals](const std::vector<Point>& points) {
    std::vector<Residuals> all;
    for (const Point& point : points) all.push_back(residuals(point));
    return all;
  };
}

// A number in [-1, 1] that depends on every bit of the point: what scatter in a simulator's answer looks like.
double scatter_at(const Point& point, std::uint64_t salt) {
  std::uint64_t hash = salt * 0x9e3779b97f4a7c15U + 1;
  for (const double value : point) hash = (hash ^ static_cast<std::uint64_t>(value * 1e6)) * 0xff51afd7ed558ccdU;
  hash ^= hash >> 33U;
  return static_cast<double>(hash % 20001) / 10000 - 1;
}

}  // namespace

TEST_CASE("a straight line through exact points is found to the digits that the model sees") {
  const auto model = each([](const Point& p) {
    Residuals r;
    for (int x = 1; x <= 5; ++x) r.push_back(p[0] + p[1] * x - (2.5 + 0.75 * x));
    return r;
  });
  const Fit best = fit({{0, 10, 9, false}, {-5, 5, -4, false}}, model, {});
  CHECK(best.point[0] == doctest::Approx(2.5).epsilon(1e-3));
  CHECK(best.point[1] == doctest::Approx(0.75).epsilon(1e-3));
  CHECK(best.stop != Stop::most_iterations);
}

TEST_CASE("the bent valley of Rosenbrock is followed to its end") {
  const auto model = each([](const Point& p) { return Residuals{10 * (p[1] - p[0] * p[0]), 1 - p[0]}; });
  FitOptions options;
  options.most_iterations = 200;
  options.small_change = 0;
  const Fit best = fit({{-2, 2, -1.2, false}, {-1, 3, 1, false}}, model, options);
  CHECK(best.point[0] == doctest::Approx(1).epsilon(0.02));
  CHECK(best.point[1] == doctest::Approx(1).epsilon(0.04));
}

TEST_CASE("a parameter whose best value lies outside stays at its bound, and the others fit as well as they can") {
  const auto model = each([](const Point& p) { return Residuals{p[0] - 8, p[1] - 3, p[0] + p[1] - 11}; });
  const Fit best = fit({{0, 5, 1, false}, {0, 10, 9, false}}, model, {});
  CHECK(best.point[0] == 5);
  // With the first at 5: least squares of (y - 3, y - 6).
  CHECK(best.point[1] == doctest::Approx(4.5).epsilon(1e-3));
}

TEST_CASE("a whole number is only ever tried at whole values") {
  bool always_whole = true;
  const auto model = each([&](const Point& p) {
    always_whole = always_whole && p[0] == std::round(p[0]);
    return Residuals{std::log(p[0] / 41.3), std::log(p[1] * p[0] / 82.6)};
  });
  const Fit best = fit({{1, 100, 7, true}, {0.5, 9, 8, false}}, model, {});
  CHECK(always_whole);
  CHECK(best.point[0] == 41);
  CHECK(best.point[1] == doctest::Approx(2).epsilon(0.02));
}

TEST_CASE(
    "steps are a few per cent, never less than one of a whole number, and a start outside is moved to the bound") {
  CHECK(difference_step({0, 100, 0, false}, 40) == 2);
  CHECK(difference_step({0, 100, 0, false}, 0) == 1);
  CHECK(difference_step({0, 20, 0, true}, 3) == 1);
  CHECK(snapped({0, 100, 0, true}, 3.6) == 4);
  CHECK(snapped({0, 1000, 0, false}, 123.456) == 123.5);
  CHECK(snapped({10, 20, 0, false}, 400) == 20);
}

TEST_CASE("a fit never ends higher than it began, however much the model scatters") {
  for (std::uint64_t salt = 1; salt <= 20; ++salt) {
    const auto model = each([salt](const Point& p) {
      return Residuals{scatter_at(p, salt), scatter_at(p, salt + 100), 0.1 * (p[0] - 3)};
    });
    const Fit best = fit({{0, 10, 8, false}}, model, {});
    CHECK(sum_of_squares(best.residuals) <= sum_of_squares(model({{8}}).front()));
  }
}

TEST_CASE("the second difference tells an effect from scatter") {
  const std::vector<FitParameter> parameters = {{0, 10, 5, false}};
  const auto of = [&](const OnePoint& one) {
    const Point point = {5};
    return sensitivity(parameters, point, one(point), each(one));
  };
  const Sensitivity line = of([](const Point& p) { return Residuals(50, 0.1 * p[0]); });
  CHECK(line.scatter[0] < 1e-9);
  CHECK(line.column[0][0] == doctest::Approx(0.1));
  const Sensitivity kink = of([](const Point& p) { return Residuals(50, std::max(0.0, p[0] - 5)); });
  CHECK(kink.scatter[0] == doctest::Approx(1));
  const Sensitivity noise = of([](const Point& p) {
    Residuals r;
    for (std::uint64_t i = 0; i < 50; ++i) r.push_back(scatter_at(p, i));
    return r;
  });
  CHECK(noise.scatter[0] > 1.4);
  const Sensitivity none = of([](const Point&) { return Residuals(50, 0.3); });
  CHECK(none.column[0] == Residuals(50, 0.0));
}

TEST_CASE("at a bound the differences are taken to the other side") {
  const std::vector<FitParameter> parameters = {{5, 10, 5, false}, {0, 5, 5, false}};
  const auto model = each([](const Point& p) { return Residuals{2 * p[0] + p[1] * p[1]}; });
  const Sensitivity at = sensitivity(parameters, {5, 5}, {35}, model);
  for (const Point& probe : at.probes) CHECK((probe[0] >= 5 && probe[1] <= 5));
  CHECK(at.column[0][0] == doctest::Approx(2));
  CHECK(at.column[1][0] == doctest::Approx(9.5));  // of x^2 over two steps of 0.25 below 5
}

TEST_CASE("Student's t as tables have it") {
  const struct {
    int degrees_of_freedom;
    double t;
  } rows[] = {{1, 12.706}, {2, 4.303}, {3, 3.182}, {4, 2.776}, {5, 2.571}, {10, 2.228}, {29, 2.045}, {100, 1.984}};
  for (const auto& row : rows) {
    CAPTURE(row.degrees_of_freedom);
    CHECK(student_t_two_sided(0.95, row.degrees_of_freedom) == doctest::Approx(row.t).epsilon(2e-4));
  }
}
