#include <doctest/doctest.h>

#include <cmath>

#include "sim/studies/calibrate/determination.h"
#include "sim/studies/calibrate/indeterminacy_text.h"
#include "sim/studies/calibrate/uncertainty.h"

using namespace tilescope::calibrate;
using Kind = Indeterminacy::Kind;

namespace {

const std::vector<FitParameter> kThree = {{0, 100, 50, false}, {0, 1, 0.5, false}, {0, 1000, 500, true}};

Sensitivity columns(std::vector<Residuals> column) {
  Sensitivity result;
  result.scatter.assign(column.size(), 0);
  result.column = std::move(column);
  return result;
}

std::vector<ChosenParameter> named(const std::vector<std::string>& keys) {
  std::vector<ChosenParameter> all;
  for (const std::string& key : keys) all.push_back({key, "cycle", false, 50, 0, 100, find_free_parameter(key)});
  return all;
}

}  // namespace

TEST_CASE("independent columns are determined, whatever their units") {
  const auto at = columns({{1e-3, 0, 0, 1e-3}, {0, 2, 0, 0}, {0, 0, 1e-5, 0}});
  CHECK(indeterminacies(kThree, at, 4).empty());
  CHECK(determined_subset(kThree, at) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("fewer residuals than parameters determine nothing") {
  const auto found = indeterminacies(kThree, columns({{1}, {1}, {1}}), 2);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::too_few_residuals);
}

TEST_CASE("a parameter that moves no prediction by a thousandth across its bounds has no effect") {
  const auto at = columns({{1e-3, 1e-3, 0}, {5e-4, 0, 9e-4}, {0, 1e-5, 1e-5}});
  const auto found = indeterminacies(kThree, at, 3);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::no_effect);
  CHECK(found[0].parameters == std::vector<std::size_t>{1});
  CHECK(determined_subset(kThree, at) == std::vector<std::size_t>{0, 2});
}

TEST_CASE("an effect that is all scatter is no effect") {
  auto at = columns({{1e-3, 1e-3, 0}, {5e-1, 0, 9e-1}, {0, 1e-5, 1e-5}});
  at.scatter = {0.1, 1.6, 0.2};
  const auto found = indeterminacies(kThree, at, 3);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::scatter);
  CHECK(found[0].parameters == std::vector<std::size_t>{1});
}

TEST_CASE("parameters that act alike are named together, with the combination that cancels") {
  // The third acts as minus two of the first (per unit); the second on its own.
  const auto at = columns({{1e-3, 2e-3, 3e-3, 0}, {0, 0, 0.4, 0.1}, {-2e-3, -4e-3, -6e-3, 0}});
  const auto found = indeterminacies(kThree, at, 4);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::not_told_apart);
  const bool first_kept = found[0].parameters == std::vector<std::size_t>{2, 0};
  CHECK((first_kept || found[0].parameters == std::vector<std::size_t>{0, 2}));
  REQUIRE(found[0].steps.size() == 2);
  CHECK(found[0].steps[0] == 1);
  CHECK(found[0].steps[1] == doctest::Approx(first_kept ? 2 : 0.5));
  CHECK(determined_subset(kThree, at).size() == 2);
}

TEST_CASE("every parameter that acts like others is named, with them alone") {
  const std::vector<FitParameter> five(5, FitParameter{0, 100, 50, false});
  const auto at = columns({{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}});
  const auto found = indeterminacies(five, at, 5);
  REQUIRE(found.size() == 2);
  for (const auto& one : found) {
    REQUIRE(one.parameters.size() == 2);
    CHECK(one.parameters[0] / 2 == one.parameters[1] / 2);  // 0 with 1, or 2 with 3
  }
  CHECK(found[0].parameters[0] / 2 != found[1].parameters[0] / 2);
  CHECK(determined_subset(five, at).size() == 3);
}

TEST_CASE("columns that differ by no more than their scatter are not told apart") {
  auto at = columns({{1e-3, 1e-3, 1e-3, 0}, {0.12, 0.1, 0.08, 0}, {0, 0, 0, 1e-5}});
  CHECK(indeterminacies(kThree, at, 4).empty());  // exact: 9 degrees apart
  at.scatter = {0.4, 0.4, 0};
  const auto found = indeterminacies(kThree, at, 4);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::not_told_apart);
  CHECK(found[0].parameters.size() == 2);
  CHECK(std::isinf(found[0].figure));
}

TEST_CASE("the text names parameters, the figure, and what would determine them") {
  const auto parameters = named({"crossbar.request_cycles", "crossbar.response_cycles", "hbm.turnaround_ns"});
  const std::vector<Indeterminacy> found = {{Kind::not_told_apart, {0, 1}, {1, -1}, 4e8},
                                            {Kind::no_effect, {2}, {}, 2e-5},
                                            {Kind::wider_than_bounds, {2}, {}, 3.5}};
  const std::string text = indeterminacy_text(found, parameters, {0});
  CAPTURE(text);
  for (const char* part : {
           "crossbar.request_cycles and crossbar.response_cycles: not told apart (condition number 4e+08; +1 cycle of "
           "crossbar.request_cycles with -1 cycle of crossbar.response_cycles changes next to nothing)",
           "hbm.turnaround_ns: no effect (no prediction changes by more than 0.002 % across its bounds); a copy of "
           "much "
           "more than L2 holds",
           "its 95 % interval is 3.5 times as wide as its bounds",
           "what they may determine: --parameter crossbar.request_cycles",
       })
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("the interval of a straight line's slope is the textbook's") {
  // y = a + b x at x = 1..5: var(b) = s^2 / sum (x - 3)^2 = s^2 / 10, cov(a, b) = -3 s^2 / 10.
  const std::vector<FitParameter> line = {{-10, 10, 0, false}, {-10, 10, 0, false}};
  const Residuals residuals = {0.1, -0.2, 0.2, -0.2, 0.1};
  const auto at = columns({{1, 1, 1, 1, 1}, {1, 2, 3, 4, 5}});
  const Uncertainty found = uncertainty(line, {0, 0}, residuals, at);
  const double s = std::sqrt(0.14 / 3);
  CHECK(found.degrees_of_freedom == 3);
  CHECK(found.residual_deviation == doctest::Approx(s));
  CHECK(*found.half_width[1] == doctest::Approx(3.18245 * s / std::sqrt(10.0)).epsilon(1e-4));
  CHECK(*found.half_width[0] == doctest::Approx(3.18245 * s * std::sqrt(1.1)).epsilon(1e-4));
  CHECK(found.correlation[0][1] == doctest::Approx(-0.3 / std::sqrt(1.1 * 0.1)));
}

TEST_CASE("a parameter at its bound has no interval, and does not widen that of the others") {
  const std::vector<FitParameter> two = {{0, 10, 0, false}, {0, 10, 0, false}};
  const auto at = columns({{1, 1, 1}, {1, 2, 4}});
  const Uncertainty found = uncertainty(two, {5, 10}, {0.1, -0.2, 0.1}, at);
  CHECK(at_bound(two[1], 10) == AtBound::high);
  CHECK(!found.half_width[1]);
  CHECK(found.degrees_of_freedom == 2);
  CHECK(*found.half_width[0] == doctest::Approx(4.30265 * std::sqrt(0.06 / 2 / 3)).epsilon(1e-4));
  CHECK(found.correlation[0][1] == 0);
}

TEST_CASE("as many residuals as parameters leave the interval unknown") {
  const Uncertainty found = uncertainty({{0, 10, 0, false}}, {5}, {0.1}, columns({{1}}));
  CHECK(!found.half_width[0]);
}
