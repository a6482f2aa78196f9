// How the CTAs of an SM share it in the counting engine.
#include "sim/engine/sampling/sm_sharing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// What the older of an SM's two CTAs has done when one of them ends, as a share of both.
template <class Engine>
double older_share(const Engine& engine) {
  const auto& ctas = engine.sm(0).first_ctas().instructions();
  REQUIRE(ctas.size() == 2);
  return static_cast<double>(ctas[0]) / static_cast<double>(ctas[0] + ctas[1]);
}

const RunOptions kCold;

}  // namespace

TEST_CASE("few places in front of the fullest resource let the older CTA go first, many let both advance") {
  // Two CTAs of 32 warps on each SM, which wait for shared memory.
  const auto made = kernel("gemm_tiled", {{"M", "512"}, {"N", "544"}, {"K", "512"}, {"tile", "32"}});
  TimingEngine timed(h200(), *made, 2);
  timed.run();
  const auto share_with = [&](double places) {
    CountingEngine counted(h200(), *made, 2, {.places = places});
    counted.run();
    return older_share(counted);
  };
  CHECK(share_with(8) > share_with(64) + 0.05);
  // What is found is nearer to what the timing engine does than either.
  LaunchBefore nothing_before(h200(), *made, kCold);
  const CountingSm::Grain found = sharing_like(timed, h200(), *made, 2, {}, nothing_before);
  CHECK_FALSE(found.evenly);
  const double should = older_share(timed), is = share_with(found.places);
  INFO("places " << found.places << ", share " << is << ", timed " << should);
  CHECK(should > 0.55);
  CHECK(std::abs(is - should) < 0.1);
}

TEST_CASE("CTAs that the timing engine keeps within two steps of each other share their SM evenly") {
  // Two CTAs of 128 x 128 on each SM, and no more.
  const auto made = kernel("gemm_register", {{"M", "1408"}, {"N", "3072"}, {"K", "256"}});
  TimingEngine timed(h200(), *made, 2);
  timed.run();
  LaunchBefore nothing_before(h200(), *made, kCold);
  const CountingSm::Grain found = sharing_like(timed, h200(), *made, 2, {}, nothing_before);
  REQUIRE(found.evenly);

  // How far the SMs are apart when their first CTAs end, as a share of the time until then.
  const auto apart = [](const auto& engine) {
    std::vector<Cycle> first(static_cast<std::size_t>(engine.sms()), kNever);
    for (const FinishedCta& cta : engine.timeline())
      first[static_cast<std::size_t>(cta.sm)] = std::min(first[static_cast<std::size_t>(cta.sm)], cta.end);
    const auto [least, most] = std::minmax_element(first.begin(), first.end());
    return static_cast<double>(*most - *least) / static_cast<double>(*most);
  };
  const auto apart_with = [&](const CountingSm::Grain& grain) {
    CountingEngine counted(h200(), *made, 2, grain);
    counted.run();
    return apart(counted);
  };
  const double should = apart(timed), evenly = apart_with(found), by_age = apart_with({.places = 12});
  INFO("timed " << should << ", evenly " << evenly << ", by age " << by_age);
  CHECK(evenly < 0.08);
  CHECK(by_age > evenly + 0.02);
}

TEST_CASE("CTAs whose warps do not meet share their SM by age, however even they are at first") {
  const auto made =
      kernel("gemm_naive", {{"M", "512"}, {"N", "1088"}, {"K", "64"}, {"block_x", "32"}, {"block_y", "32"}});
  TimingEngine timed(h200(), *made, 2);
  timed.run();
  LaunchBefore nothing_before(h200(), *made, kCold);
  CHECK_FALSE(sharing_like(timed, h200(), *made, 2, {}, nothing_before).evenly);
}
