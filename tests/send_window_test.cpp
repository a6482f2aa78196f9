// models/send_window.h: how long stores or atomics that an SM has sent hold back what it sends behind them.
#include "models/send_window.h"

#include <doctest/doctest.h>

using namespace tilescope;

TEST_CASE("nothing waits until as many sectors are under way as the window has") {
  SendWindow window(4);
  window.note(1, Tick(900));
  window.note(2, Tick(950));
  CHECK(window.leaves(Tick(10)) == Tick(10));
  window.note(1, Tick(990));
  CHECK(window.leaves(Tick(10)) == Tick(900));  // the oldest of four
  CHECK(window.leaves(Tick(905)) == Tick(905));
}

TEST_CASE("sectors leave in order: one that a free slice takes up at once stands behind its elders") {
  SendWindow window(2);
  window.note(1, Tick(700));
  window.note(1, Tick(50));
  CHECK(window.leaves(Tick(0)) == Tick(700));
  window.note(1, Tick(800));
  CHECK(window.leaves(Tick(0)) == Tick(700));
  window.note(1, Tick(60));
  CHECK(window.leaves(Tick(0)) == Tick(800));
}

TEST_CASE("a packet of more sectors than the window holds fills it") {
  SendWindow window(3);
  window.note(4, Tick(300));
  CHECK(window.leaves(Tick(1)) == Tick(300));
}
