// models/scoreboards.h: what a warp waits for, and until when.
#include "models/scoreboards.h"

#include <doctest/doctest.h>

using namespace tilescope;

TEST_CASE("a scoreboard that nothing has set is free at once") {
  const Scoreboards boards;
  const Scoreboards::Ready ready = boards.ready(0x3f, 25);
  CHECK(ready.when == 25);
  CHECK(!ready.waits);
  CHECK(!boards.unknown(0x7f));
  CHECK(boards.memory_mask() == 0);
}

TEST_CASE("the latest of those that the mask names counts, and whose it is") {
  Scoreboards boards;
  boards.set(0, 40, false);
  boards.set(1, 90, true);
  boards.set(2, 60, false);
  struct {
    unsigned mask;
    Cycle since, when;
    bool waits, is_long;
  } const rows[] = {
      {0b001, 10, 40, true, false},  {0b010, 10, 90, true, true},   {0b101, 10, 60, true, false},
      {0b111, 10, 90, true, true},   {0b101, 75, 75, false, false}, {0b1000, 10, 10, false, false},
      {0b000, 10, 10, false, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.mask);
    CAPTURE(row.since);
    const Scoreboards::Ready ready = boards.ready(row.mask, row.since);
    CHECK(ready.when == row.when);
    CHECK(ready.waits == row.waits);
    CHECK(ready.is_long == row.is_long);
  }
}

TEST_CASE("results that share a scoreboard are all waited for") {
  Scoreboards boards;
  boards.set(3, 80, true);
  boards.set(3, 50, true);
  CHECK(boards.ready(1U << 3, 0).when == 80);
  boards.promise(3);
  boards.promise(3);
  CHECK(boards.unknown(1U << 3));
  boards.arrived(3, 120);
  CHECK(boards.unknown(1U << 3));
  boards.arrived(3, 110);
  CHECK(!boards.unknown(1U << 3));
  CHECK(boards.ready(1U << 3, 0).when == 120);
}

TEST_CASE("a wait is that of what comes last, though something sooner took the same scoreboard behind it") {
  struct {
    Cycle load, copy;
    bool is_long;
  } const rows[] = {{500, 40, true}, {30, 40, false}};
  for (const auto& row : rows) {
    Scoreboards boards;
    boards.set(2, 20, true);
    boards.promise(2);
    boards.set(2, row.copy, false);
    boards.arrived(2, row.load);
    CHECK(boards.ready(1U << 2, 0).when == std::max(row.load, row.copy));
    CHECK(boards.ready(1U << 2, 0).is_long == row.is_long);
  }
}

TEST_CASE("a promise holds its own scoreboard only") {
  for (std::uint8_t board = 0; board < kScoreboards; ++board) {
    Scoreboards boards;
    boards.promise(board);
    for (unsigned other = 0; other < kScoreboards; ++other) CHECK(boards.unknown(1U << other) == (other == board));
    CHECK(boards.memory_mask() == 1U << board);
  }
}

TEST_CASE("an instruction that names no scoreboard sets none") {
  Scoreboards boards;
  boards.set(kNoScoreboard, 1000, true);
  boards.promise(kNoScoreboard);
  boards.arrived(kNoScoreboard, 1000);
  CHECK(!boards.unknown(~Scoreboards::kUnknown));
  CHECK(boards.unknown(Scoreboards::kUnknown));
  CHECK(boards.ready(0x7f, 5).when == 5);
}

TEST_CASE("stores hold memory barriers, and nothing else") {
  Scoreboards boards;
  boards.promise(kStoreBoard);
  CHECK(boards.memory_mask() == 0);
  CHECK(!boards.unknown(boards.memory_mask()));
  CHECK(boards.unknown(boards.fence_mask()));
  boards.arrived(kStoreBoard, 300);
  CHECK(!boards.unknown(boards.fence_mask()));
  CHECK(boards.ready(boards.fence_mask(), 10).when == 300);
  CHECK(boards.ready(boards.memory_mask(), 10).when == 10);
}

TEST_CASE("a memory barrier asks about loads too, but not about results that are near") {
  Scoreboards boards;
  boards.set(0, 500, false);  // a special function's
  CHECK(boards.ready(boards.fence_mask(), 10).when == 10);
  boards.set(1, 400, true);
  CHECK(boards.ready(boards.fence_mask(), 10).when == 400);
}

TEST_CASE("a scoreboard is long while what set it last came from global or local memory") {
  Scoreboards boards;
  boards.set(2, 100, true);
  CHECK(boards.memory_mask() == 1U << 2);
  boards.set(2, 120, false);
  CHECK(boards.memory_mask() == 0);
  boards.set(2, 140, true);
  boards.clear();
  CHECK(boards.memory_mask() == 0);
  CHECK(boards.ready(1U << 2, 0).when == 0);
}

TEST_CASE("several results of one instruction are all waited for") {
  Scoreboards boards;
  boards.promise(4, 3);
  for (const Cycle when : {70, 90, 80}) {
    CHECK(boards.unknown(1U << 4));
    boards.arrived(4, when);
  }
  CHECK(!boards.unknown(1U << 4));
  CHECK(boards.ready(1U << 4, 0).when == 90);
  boards.promise(4, 0);
  CHECK(!boards.unknown(1U << 4));
}

TEST_CASE("stores of a warp that has ended are told to the one in its place, and counted down") {
  Scoreboards boards;
  boards.promise(kStoreBoard);
  boards.promise(2);
  boards.clear();
  CHECK(boards.memory_mask() == 0);
  boards.promise(kStoreBoard);
  boards.arrived(kStoreBoard, 100);
  CHECK(boards.unknown(boards.fence_mask()));
  boards.arrived(kStoreBoard, 200);
  CHECK(!boards.unknown(boards.fence_mask()));
}
