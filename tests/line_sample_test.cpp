// The lines that a counting engine looks up when it looks up one in 2^shift.
#include "models/line_sample.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "engine_runs.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("a sample keeps one line of each group of neighbours") {
  const AddressHash hash(h200());
  for (unsigned shift = 0; shift <= 6; ++shift) {
    const LineSample sample(hash, shift);
    for (std::uint64_t group = 0; group < 4096; ++group) {
      int kept = 0;
      for (std::uint64_t i = 0; i < 1ULL << shift; ++i)
        kept += sample.keeps(LineAddress::of(((group << shift) + i) * kLineBytes)) ? 1 : 0;
      REQUIRE(kept == 1);
    }
  }
}

TEST_CASE("kept lines of contiguous data are as many in either partition, and fill every set of it alike") {
  const AddressHash hash(h200());
  for (const unsigned shift : {0U, 3U, 5U, 6U}) {
    const LineSample sample(hash, shift);
    constexpr std::size_t kSets = 96;
    const SetIndex index = sample.set_index(kSets, hash.implied_bit());
    std::array<std::vector<int>, 2> uses{std::vector<int>(kSets), std::vector<int>(kSets)};
    // 32 runs over the sets of both partitions.
    const std::uint64_t lines = (2 * kSets * 32) << shift;
    for (std::uint64_t number = 0; number < lines; ++number)
      if (const LineAddress line = LineAddress::of(number * kLineBytes); sample.keeps(line))
        ++uses[hash.home_partition(line)][index(line)];
    for (const auto& partition : uses)
      for (const int used : partition) REQUIRE(used == 32);
  }
}
