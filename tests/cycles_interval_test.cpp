// The interval of sampled cycles: what widens it, and that it covers what a launch takes.
#include "sim/engine/sampling/cycles_interval.h"

#include <cmath>

#include "engine_runs.h"
#include "kernel_walk.h"
#include "sim/engine/sampling/sampled_timing.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// A clock that ticks `pace` times per instruction, with a point every 1000 of `instructions`; then `later_pace`.
struct Clock {
  double pace = 1;
  double later_pace = 1;
  double changes_at = 1e9;
  double swing = 0;  // every other thousand takes so much longer, the one after as much less
};

WorkCurve curve(const Clock& clock, int instructions) {
  constexpr int kStep = 1000;
  WorkCurve points;
  double now = 0;
  for (int done = kStep; done <= instructions; done += kStep) {
    const double swing = done / kStep % 2 == 0 ? clock.swing : -clock.swing;
    now += kStep * ((done > clock.changes_at ? clock.later_pace : clock.pace) + swing);
    points.push_back({std::llround(now), static_cast<std::uint64_t>(done)});
  }
  return points;
}

constexpr int kAll = 100'000;
constexpr int kSampled = 36'000;
constexpr double kWarm = 12'000;  // windows of four thousand

CyclesInterval interval(const Clock& detailed, const Clock& coarse, double waves) {
  return cycles_interval(curve(detailed, kSampled), curve(coarse, kAll), {kWarm, kSampled, waves});
}

}  // namespace

TEST_CASE("two clocks of one even pace leave hardly anything open") {
  const CyclesInterval even = interval({2}, {1}, 10);
  CHECK(even.windows == doctest::Approx(0));
  CHECK(even.other_pace == doctest::Approx(0));
  CHECK(even.unseen_wave == 0);
  CHECK(even.unseen_ends == 0);
  CHECK(even.extrapolated == doctest::Approx(0.64));
  CHECK(even.half_width() > 0);
  CHECK(even.half_width() < 0.01);
  CHECK_FALSE(doubt(even).has_value());
}

TEST_CASE("the interval widens when windows of the sample vary") {
  double last = interval({2}, {1}, 10).half_width();
  for (const double step : {0.2, 0.4, 0.8}) {
    const CyclesInterval varying = interval({2, 2 + step, 24'000}, {1}, 10);  // half of the windows are slower
    CAPTURE(step);
    CHECK(varying.half_width() > last);
    // Three windows at 2, three at 2 + step.
    CHECK(varying.windows / varying.extrapolated ==
          doctest::Approx(std::sqrt(0.3 / 6) * step / (2 + step / 2)).epsilon(0.001));
    last = varying.half_width();
  }
}

TEST_CASE("swings shorter than a window do not widen it") {
  CHECK(interval({2, 2, 1e9, 0.5}, {1}, 10).windows == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("the interval widens when the rest runs at another pace than the sample, faster or slower") {
  const double even = interval({1}, {1}, 10).half_width();
  const CyclesInterval slower = interval({1}, {1, 2, 80'000}, 10);
  const CyclesInterval faster = interval({1}, {1, 0.5, 80'000}, 10);
  // 20,000 instructions take 20,000 longer of 120,000 in all; 10,000 less of 90,000.
  CHECK(slower.other_pace == doctest::Approx(20.0 / 120).epsilon(0.03));
  CHECK(faster.other_pace == doctest::Approx(10.0 / 90).epsilon(0.03));
  CHECK(slower.half_width() > faster.half_width());
  CHECK(faster.half_width() > even);
  REQUIRE(doubt(slower).has_value());
  CHECK(*doubt(slower) ==
        "70 % of the cycles are extrapolated and known to ± 11 % of all only, because the rest runs at another pace "
        "than the sample, as where SMs run out of CTAs");
}

TEST_CASE("a sample shorter than a wave counts for less the more its factor corrects") {
  CHECK(interval({1}, {1}, 1.5).unseen_wave == doctest::Approx(0));
  const CyclesInterval corrected = interval({1.5}, {1}, 1.5);
  CHECK(corrected.unseen_wave == doctest::Approx(0.64 * (1 - 0.54) * std::log(1.5)).epsilon(0.01));
  CHECK(interval({1.5}, {1}, 4).unseen_wave == 0);  // has come to the end of the first of four
  CHECK(interval({1.5}, {1}, 1).unseen_ends == doctest::Approx(0.64 * 0.64).epsilon(0.01));
}

TEST_CASE("the interval of a small launch holds its estimate and what the launch takes") {
  const auto made = kernel("gemm_naive", {{"M", "1024"}, {"N", "512"}, {"K", "96"}});
  WorkCurves coarse;
  CountingEngine counting(h200(), *made, 1);
  counting.on_progress = [&](const CountingEngine& engine) { coarse.add(engine); };
  counting.run();
  WorkCurves whole;
  TimingEngine timing(h200(), *made, 1);
  const auto ctas = static_cast<double>(made->launch().grid.count());
  const double waves = ctas / (ctas - static_cast<double>(timing.ctas_waiting()));
  timing.on_progress = [&](const TimingEngine& engine) { whole.add(engine); };
  timing.run();

  const auto total = static_cast<double>(whole.instructions());
  for (const double share : {0.3, 0.5, 0.7}) {
    CAPTURE(share);
    WorkCurve sample = whole.by_load().front();
    while (static_cast<double>(sample.back().instructions) > share * total) sample.pop_back();
    const WorkCurve& counted = coarse.by_load().front();
    const auto to = static_cast<double>(sample.back().instructions);
    const double estimate = value_at(sample, to) +
                            factor(sample, counted, 0.3 * to, to) * (value_at(counted, total) - value_at(counted, to));
    const double half_width = cycles_interval(sample, counted, {0.3 * to, to, waves}).half_width();
    CHECK(half_width > 0);
    CHECK(half_width < 0.35);
    CHECK(std::abs(estimate - static_cast<double>(timing.cycles())) <= half_width * estimate);
  }
}
