// models/async_copies.h: groups of asynchronous copies, when they have landed, and what their scoreboard says.
#include "models/async_copies.h"

#include <doctest/doctest.h>

using namespace tilescope;

namespace {

constexpr std::uint8_t kBoard = 0;

// A warp with groups of one copy each, all of them out.
struct Groups {
  AsyncCopies copies;
  Scoreboards scoreboards;
  std::vector<AsyncCopies::Group> numbers;

  explicit Groups(int count) {
    for (int i = 0; i < count; ++i) add(kBoard);
  }
  void add(std::uint8_t scoreboard) {
    numbers.push_back(copies.open());
    copies.add(10, 1);
    copies.close(scoreboard, 0, scoreboards);
  }
  void land(std::size_t group, Cycle when) { copies.landed(numbers[group], when, scoreboards); }
  bool counted() const { return scoreboards.unknown(1U << kBoard); }
  Cycle free() const { return scoreboards.ready(1U << kBoard, 0).when; }
};

}  // namespace

TEST_CASE("nothing is waited for where no group was closed, and none that are newer than may be left") {
  AsyncCopies copies;
  for (const int most : {0, 1, 63}) CHECK(copies.at_most(kBoard, most) == 0);
  copies.add(500, 3);  // of a group that nobody has closed
  for (const int most : {0, 1, 63}) CHECK(copies.at_most(kBoard, most) == 0);
  CHECK(copies.room() == 0);
  Groups two(2);
  for (const int most : {2, 3, 63}) CHECK(two.copies.at_most(kBoard, most) == 0);
}

TEST_CASE("a wait is for the newest group but as many as may be left") {
  Groups warp(4);
  for (const int most : {0, 1, 2, 3}) CHECK(warp.copies.at_most(kBoard, most) == kNever);
  for (const std::size_t group : {0U, 1U, 2U, 3U}) warp.land(group, 100 * static_cast<Cycle>(group + 1));
  struct {
    int most;
    Cycle when;
  } const rows[] = {{0, 400}, {1, 300}, {2, 200}, {3, 100}, {4, 0}};
  for (const auto& row : rows) {
    CAPTURE(row.most);
    CHECK(warp.copies.at_most(kBoard, row.most) == row.when);
  }
}

TEST_CASE("a group has landed when its last copy has, and not before the group in front of it") {
  Groups warp(3);
  warp.land(1, 70);
  CHECK(warp.copies.at_most(kBoard, 1) == kNever);
  warp.land(0, 200);
  CHECK(warp.copies.at_most(kBoard, 2) == 200);
  CHECK(warp.copies.at_most(kBoard, 1) == 200);
  CHECK(warp.copies.at_most(kBoard, 0) == kNever);
  warp.land(2, 150);
  CHECK(warp.copies.at_most(kBoard, 0) == 200);

  AsyncCopies copies;
  Scoreboards scoreboards;
  const AsyncCopies::Group group = copies.open();
  copies.add(30, 1);
  copies.add(40, 2);
  copies.add(400, 0);  // found in L1
  copies.close(kBoard, 0, scoreboards);
  for (const Cycle when : {250, 90}) {
    copies.landed(group, when, scoreboards);
    CHECK(copies.at_most(kBoard, 0) == kNever);
  }
  copies.landed(group, 300, scoreboards);
  CHECK(copies.at_most(kBoard, 0) == 400);
}

TEST_CASE("a group without copies lands with the one in front of it") {
  Groups warp(0);
  warp.copies.close(kBoard, 0, warp.scoreboards);
  CHECK(warp.copies.at_most(kBoard, 0) == 0);
  CHECK(!warp.counted());
  warp.add(kBoard);
  warp.copies.close(kBoard, 0, warp.scoreboards);
  CHECK(warp.copies.at_most(kBoard, 0) == kNever);
  warp.land(0, 80);
  CHECK(warp.copies.at_most(kBoard, 0) == 80);
}

TEST_CASE("a scoreboard counts its own groups, and is free when the last of them has landed") {
  Groups warp(1);
  warp.add(1);
  CHECK(warp.copies.at_most(0, 1) == 0);
  CHECK(warp.copies.at_most(2, 0) == 0);
  CHECK(warp.counted());
  warp.land(0, 120);
  CHECK(!warp.counted());
  CHECK(warp.free() == 120);
  CHECK(warp.scoreboards.ready(1U << kBoard, 0).is_long);
  CHECK(warp.scoreboards.unknown(2));
  CHECK(warp.copies.at_most(1, 0) == kNever);
  warp.land(1, 110);
  CHECK(warp.copies.at_most(1, 0) == 120);
}

TEST_CASE("what copies of a warp that has ended bring is nobody's") {
  Groups warp(2);
  const AsyncCopies::Group left = warp.copies.open();
  warp.copies.add(20, 1);
  warp.copies.clear();
  warp.scoreboards.clear();
  warp.add(kBoard);
  warp.land(0, 900);
  warp.land(1, 900);
  warp.copies.landed(left, 900, warp.scoreboards);
  CHECK(warp.counted());
  CHECK(warp.copies.at_most(kBoard, 0) == kNever);
  warp.land(2, 70);
  CHECK(warp.copies.at_most(kBoard, 0) == 70);
  CHECK(warp.free() == 70);
}

TEST_CASE("no more groups are out than a scoreboard counts to") {
  Groups warp(62);
  CHECK(warp.copies.room() == 0);
  warp.add(kBoard);
  CHECK(warp.copies.room() == kNever);
  warp.land(1, 50);
  CHECK(warp.copies.room() == kNever);
  warp.land(0, 500);
  CHECK(warp.copies.room() == 500);
  for (std::size_t group = 2; group < 63; ++group) warp.land(group, 600);
  warp.numbers.push_back(warp.copies.open());
  warp.copies.add(0, 1);
  warp.copies.close(kBoard, 500, warp.scoreboards);
  CHECK(warp.copies.room() == 0);
  CHECK(warp.copies.at_most(kBoard, 62) == 0);
  CHECK(warp.copies.at_most(kBoard, 61) == 600);
  CHECK(warp.copies.at_most(kBoard, 1) == 600);
  CHECK(warp.copies.at_most(kBoard, 0) == kNever);
}
