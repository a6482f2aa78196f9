// What SMs share of what they ask L2 for, in the first wave of CTAs and behind it.
#include "sim/engine/sampling/later_wave.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

const std::function<void(const Progress&)> kSilent;

std::uint64_t missed_by(const TimingEngine& engine) {
  std::uint64_t sum = 0;
  for (int sm = 0; sm < engine.sms(); ++sm) sum += engine.sm(sm).fill_sectors();
  return sum;
}

}  // namespace

TEST_CASE("SMs whose CTAs begin out of step ask L2 for more of what misses L1") {
  // Two waves of two CTAs on each SM.
  const auto made = kernel("gemm_register", {{"M", "2816"}, {"N", "3072"}, {"K", "48"}});
  TimingEngine first(h200(), *made, 2);
  const std::int64_t ctas = made->launch().grid.count();
  REQUIRE(ctas == 2 * 264);
  first.on_progress = [&](const TimingEngine& engine) {
    if (engine.ctas_ended() > 0) first.stop();
  };
  first.run();
  const double in_step =
      static_cast<double>(first.memory_counters().l2.read_sectors) / static_cast<double>(missed_by(first));
  CHECK(in_step < 0.75);
  const double later = later_waves(h200(), *made, 2, 400000, first.memory(), kSilent).asked;
  INFO("asked for in step " << in_step << ", later " << later);
  CHECK(later > in_step + 0.1);
  CHECK(later <= 1);
  CHECK(later_waves(h200(), *made, 2, 400000, first.memory(), kSilent).rate > 100);
  CHECK(later == later_waves(h200(), *made, 1, 400000, first.memory(), kSilent).asked);
  // CTAs of no spread begin in step again.
  CHECK(later_waves(h200(), *made, 2, 0, first.memory(), kSilent).asked < later - 0.05);
}

TEST_CASE("without a second wave there is nothing to say of one") {
  const auto made = kernel("gemm_register", {{"M", "2816"}, {"N", "2944"}, {"K", "8"}});
  const TimingEngine empty(h200(), *made, 1);
  CHECK(later_waves(h200(), *made, 1, 1000, empty.memory(), kSilent).asked < 0);
}

TEST_CASE("the first wave has a share of its own, all others another") {
  // Eight waves of 1,000 instructions each miss 100 sectors, of which the counting engine asks for 80.
  const WorkCurve missed{{0, 0}, {800, 8000}}, asked{{0, 0}, {640, 8000}};
  CHECK(asked_by_waves(missed, asked, 8, 0.5, 1) == doctest::Approx((0.5 * 80 + 700) / 640));
  CHECK(asked_by_waves(missed, asked, 1, 0.5, 1) == doctest::Approx(0.5));
  CHECK(asked_by_waves(missed, asked, 8, 0.5, -1) == 0.5);
  CHECK(asked_by_waves({}, {}, 8, 0.5, 1) == 0.5);
}

TEST_CASE("behind the first wave the clock goes by the later pace, for what has not been timed") {
  // Four waves of 1,000 instructions, 500 coarse cycles each.
  const WorkCurve coarse{{0, 0}, {2000, 4000}};
  // A coarse cycle takes 1.1 by the first wave's factor, and 2 instructions a cycle are the coarse pace itself.
  CHECK(at_later_rate(coarse, 4, 500, 2, 1.1) == doctest::Approx(1500 * (1 - 1.1)));
  CHECK(at_later_rate(coarse, 4, 2000, 2, 1.1) == doctest::Approx(1000 * (1 - 1.1)));
  CHECK(at_later_rate(coarse, 4, 500, 2, 1) == doctest::Approx(0));
  CHECK(at_later_rate(coarse, 4, 4000, 2, 1.1) == 0);
  CHECK(at_later_rate(coarse, 1, 500, 2, 1.1) == 0);
}
