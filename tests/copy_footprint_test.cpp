// What copies past L1 bring where they shift rows by half a sector (models/copy_footprint.h): closed forms by how rows
// lie.
#include "models/copy_footprint.h"

#include <doctest/doctest.h>

#include <numeric>
#include <utility>

using namespace tilescope;

namespace {

// Rows of `chunks` pieces of 16 bytes from lines of their own; chunk i of a row goes to place i ^ swap of it.
std::pair<LanePattern, LanePattern> rows(int chunks, int pitch, int swap) {
  LanePattern from, to;
  from.bytes = to.bytes = 16;
  from.active = to.active = ~0U;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    from.offset[at] = lane / chunks * 1024 + lane % chunks * 16;
    to.offset[at] = lane / chunks * pitch + (lane % chunks ^ swap) * 16;
  }
  return {from, to};
}

struct Brought {
  int counted = 0, sectors = 0;
  std::size_t requests = 0;
  bool operator==(const Brought&) const = default;
};

Brought brought(int chunks, int pitch, std::uint64_t base) {
  const auto [from, to] = rows(chunks, pitch, 0);
  const CopyLanes lanes{from, 4096, to, base};
  REQUIRE(is_shifted(lanes));
  const Footprint found = shifted_footprint(lanes);
  const int sectors = std::accumulate(found.lines.begin(), found.lines.end(), 0, [](int sum, const LineSectors& line) {
    return sum + static_cast<int>(line.sectors.count());
  });
  return {found.sectors, sectors, found.lines.size()};
}

}  // namespace

TEST_CASE("a row that lies half a sector off fills one sector more, and each of its sectors comes twice") {
  struct {
    int chunks, pitch;
    std::uint64_t base;
    Brought expected;
  } const cases[] = {
      // 16 sectors in all; every second row of a padded tile is off
      {8, 128 + 16, 0, {18, 24, 10}},
      {4, 64 + 16, 0, {20, 24, 15}},
      {2, 64 + 16, 0, {24, 24, 24}},
      // all rows are off; a row that passes the end of a line of shared memory takes a request for each side and half
      {8, 128, 16, {20, 32, 12}},
      {8, 128, 48, {20, 32, 16}},
      {8, 128, 112, {20, 32, 12}},
      {2, 128, 16, {32, 32, 32}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.chunks);
    CAPTURE(c.pitch);
    CAPTURE(c.base);
    const Brought found = brought(c.chunks, c.pitch, c.base);
    CHECK(found.counted == c.expected.counted);
    CHECK(found.sectors == c.expected.sectors);
    CHECK(found.requests == c.expected.requests);
  }
}

TEST_CASE("rows at whole sectors are not shifted, nor are halves that change places within a sector") {
  for (const int pitch : {128, 160, 192, 256})
    for (const int swap : {0, 1, 2, 3, 4, 7}) {
      CAPTURE(pitch);
      CAPTURE(swap);
      const auto [from, to] = rows(8, pitch, swap);
      CHECK_FALSE(is_shifted({from, 4096, to, 32}));
    }
}

TEST_CASE(
    "what shifts is the difference of both sides: a source half a sector off into rows half a sector off is none") {
  const auto [from, to] = rows(4, 96, 0);
  CHECK(is_shifted({from, 16, to, 32}));
  CHECK_FALSE(is_shifted({from, 16, to, 48}));
}
