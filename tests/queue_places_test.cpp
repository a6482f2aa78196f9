// How the CTAs of an SM share it in the counting engine.
#include "sim/engine/sampling/queue_places.h"

#include <doctest/doctest.h>

#include <cmath>

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
  // The number that is found is nearer to what the timing engine does than either.
  const double found = queue_places_like(timed, h200(), *made, 2, {});
  const double should = older_share(timed), is = share_with(found);
  INFO("places " << found << ", share " << is << ", timed " << should);
  CHECK(should > 0.55);
  CHECK(std::abs(is - should) < 0.1);
}
