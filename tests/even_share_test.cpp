// What each CTA of an SM gets of its fullest resource when none goes before another.
#include "sim/engine/counting/even_share.h"

#include <doctest/doctest.h>

using namespace tilescope;

TEST_CASE("a CTA gets what it can use where it is alone, and before a step has ended") {
  EvenShare share;
  CHECK(share.of(1, 4) == 1);
  share.note(100, 0.5, 300);
  CHECK(share.of(0.5, 1) == 0.5);
}

TEST_CASE("CTAs that are always at the resource get equal parts of it") {
  EvenShare share;
  share.note(100, 1, 0);
  CHECK(share.of(1, 2) == doctest::Approx(1.0 / 2));
  CHECK(share.of(1, 5) == doctest::Approx(1.0 / 5));
}

TEST_CASE("the longer CTAs are away, the more is left for each") {
  EvenShare share;
  share.note(100, 1, 100);
  // Of two, the other one is there for half of the time; of three, each of the two others for 150 cycles of 250.
  CHECK(share.of(1, 2) == doctest::Approx(1 / 1.5));
  CHECK(share.of(1, 3) == doctest::Approx(1 / 2.2));
  EvenShare seldom;
  seldom.note(100, 1, 10'000);
  CHECK(seldom.of(1, 3) > 0.95);
}

TEST_CASE("CTAs that can not use the resource up do not hinder each other") {
  EvenShare share;
  share.note(100, 0.3, 0);
  CHECK(share.of(0.3, 2) == 0.3);
  CHECK(share.of(0.3, 3) == 0.3);
  CHECK(share.of(0.3, 4) < 0.3);
}

TEST_CASE("the last steps decide") {
  EvenShare share;
  share.note(100, 1, 10'000);
  const double before = share.of(1, 2);
  for (int step = 0; step < 100; ++step) share.note(100, 1, 0);
  CHECK(before > 0.95);
  CHECK(share.of(1, 2) == doctest::Approx(0.5).epsilon(0.02));
}
