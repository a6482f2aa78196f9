// What the counting engine's clock is built on: rates of a closed queue, and sets found without a division.
#include <doctest/doctest.h>

#include <cstdint>

#include "models/set_index.h"
#include "models/support/bit_mixer.h"
#include "sim/engine/counting/service_rate.h"

using namespace tilescope;

TEST_CASE("one warp uses a resource for its share of the time it takes alone") {
  const ServiceRate one = service_rate(25, 100, 1);
  CHECK(one.rate == doctest::Approx(0.25));
  CHECK(one.queue == doctest::Approx(0.25));
}

TEST_CASE("two warps meet in the queue as often as mean value analysis says") {
  // Service 20 each, 80 elsewhere. Alone a warp is at the resource for 20 of 100 cycles; so the second waits 20 x 0.2.
  const ServiceRate two = service_rate(40, 100, 2);
  CHECK(two.rate == doctest::Approx(40.0 / 104));
  CHECK(two.queue == doctest::Approx(2 * 24.0 / 104));
}

TEST_CASE("many warps fill the resource and never more") {
  double before = 0;
  for (const std::size_t warps : {1, 2, 3, 4, 6, 8, 12}) {
    const double rate = service_rate(20.0 * static_cast<double>(warps), 100, warps).rate;
    CHECK(rate > before);
    CHECK(rate <= 1);
    before = rate;
  }
  CHECK(before > 0.95);
  CHECK(service_rate(500, 100, 4).rate == doctest::Approx(1));  // needs more than the time of a warp alone
}

TEST_CASE("the set of a line is the one that division gives") {
  for (const std::size_t sets : {1, 2, 3, 7, 64, 400, 1600, 10922, 65536, 1000003}) {
    const SetIndex index(sets);
    for (std::uint64_t i = 0; i < 2000; ++i) {
      for (const std::uint64_t line : {i, i * sets, i * sets + sets - 1, mix_bits(i) >> 22U, ~std::uint64_t{0} - i}) {
        const std::uint64_t set = line % sets + scale_to(mix_bits(line / sets + 1), sets);
        REQUIRE(index(LineAddress::numbered(line)) == (set < sets ? set : set - sets));
      }
    }
  }
}
