// Units are types: what they hold, and what cannot be mixed.
#include "models/support/units.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

using namespace tilescope;

TEST_CASE("ticks and cycles are converted by name only, and up to whole cycles") {
  static_assert(!std::is_convertible_v<std::int64_t, Tick> && !std::is_convertible_v<Tick, std::int64_t>);
  CHECK(to_ticks(Cycle{3}).count() == 3072);
  CHECK(to_cycles_up(to_ticks(Cycle{3})) == 3);
  CHECK(to_cycles_up(to_ticks(Cycle{3}) + Tick(1)) == 4);
  CHECK(to_ticks(0.25) == Tick(256));
  CHECK(to_ticks(1.99999) == Tick(2048));
  CHECK(to_ticks_down(1.99999) == Tick(2047));
  CHECK(Tick(100) / Tick(30) == 3);
  CHECK(Tick(100) % Tick(30) == Tick(10));
  CHECK(3 * Tick(5) - Tick(1) > Tick(13));
}

TEST_CASE("a line is made from a byte address by name, and moved by whole lines") {
  static_assert(!std::is_convertible_v<std::uint64_t, LineAddress> &&
                !std::is_convertible_v<LineAddress, std::uint64_t>);
  CHECK(LineAddress::of(127) == LineAddress::numbered(0));
  CHECK(LineAddress::of(128) + 2 == LineAddress::of(3 * 128 + 5));
  CHECK(LineAddress::of(1280) + -3 == LineAddress::numbered(7));
  CHECK(LineAddress::of(~0ULL) < LineAddress::none());
}

TEST_CASE("sector masks: union, intersection, difference, complement and size agree with sets of four") {
  static_assert(!std::is_convertible_v<unsigned, SectorMask> && !std::is_convertible_v<SectorMask, unsigned>);
  for (unsigned a = 0; a < 16; ++a) {
    std::vector<std::size_t> sectors;
    for (const std::size_t sector : SectorMask(a)) sectors.push_back(sector);
    CHECK(sectors.size() == SectorMask(a).count());
    for (std::size_t s = 0; s < 4; ++s)
      CHECK(SectorMask(a).has(s) == (std::count(sectors.begin(), sectors.end(), s) == 1));
    CHECK((~SectorMask(a)).count() == 4 - SectorMask(a).count());
    CHECK(SectorMask(a).any() != SectorMask(a).none());
    CHECK(SectorMask(a).bytes() == 32 * static_cast<std::int64_t>(sectors.size()));
    for (unsigned b = 0; b < 16; ++b) {
      CHECK((SectorMask(a) | SectorMask(b)).bits() == (a | b));
      CHECK((SectorMask(a) & SectorMask(b)).bits() == (a & b));
      CHECK(SectorMask(a) - SectorMask(b) == (SectorMask(a) & ~SectorMask(b)));
    }
  }
  CHECK(SectorMask::all().count() == 4);
}
