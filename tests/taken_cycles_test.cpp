// For which cycles a pipe or a port was taken: models/taken_cycles.h, against a plain list of cycles.
#include "models/taken_cycles.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>

using namespace tilescope;

TEST_CASE("cycles that are taken are counted one by one") {
  TakenCycles taken;
  std::set<Cycle> all;
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return static_cast<Cycle>((state >> 8U) % below);
  };
  Cycle at = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    const Cycle from = at + next(5), until = from + 1 + next(4);
    taken.take(from, until);
    for (Cycle c = from; c < until; ++c) all.insert(c);
    at = until;
    const Cycle now = std::max<Cycle>(0, until - next(3)), since = std::max<Cycle>(0, now - next(900));
    Cycle expected = 0;
    for (auto c = all.lower_bound(since); c != all.end() && *c < now; ++c) ++expected;
    REQUIRE(taken.between(since, now) == expected);
  }
}

TEST_CASE("a stretch that is longer than what is kept is known whole") {
  TakenCycles taken;
  taken.take(10, 12);
  taken.take(100, 5000);
  CHECK(taken.between(50, 300) == 250);
  CHECK(taken.between(200, 4000) == 3800);
  CHECK(taken.between(0, 6000) == 4900 * 6000 / 5900);
  taken.take(5000, 9000);  // goes on
  CHECK(taken.between(200, 9000) == 8800);
}

TEST_CASE("what is too long ago is taken as often as what is known") {
  TakenCycles taken;
  for (Cycle at = 0; at < 20000; at += 2) taken.take(at, at + 1);
  CHECK(taken.between(0, 20000) >= 9900);
  CHECK(taken.between(0, 20000) <= 10100);
  CHECK(taken.between(20000, 20000) == 0);
}
