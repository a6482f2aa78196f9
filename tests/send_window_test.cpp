// models/send_window.h: how long stores or atomics that an SM has sent hold back what it sends behind them.
#include "models/send_window.h"

#include <doctest/doctest.h>

using namespace tilescope;

TEST_CASE("nothing waits until as many sectors are under way as the window has") {
  SendWindow window(4);
  window.note(1, Tick(), Tick(), Tick(900));
  window.note(2, Tick(), Tick(), Tick(950));
  CHECK(window.leaves(Tick(10)) == Tick(10));
  window.note(1, Tick(), Tick(), Tick(990));
  CHECK(window.leaves(Tick(10)) == Tick(900));  // the oldest of four
  CHECK(window.leaves(Tick(905)) == Tick(905));
}

TEST_CASE("sectors leave in order: one that a free slice takes up at once stands behind its elders") {
  SendWindow window(2);
  window.note(1, Tick(), Tick(), Tick(700));
  window.note(1, Tick(), Tick(), Tick(50));
  CHECK(window.leaves(Tick(0)) == Tick(700));
  window.note(1, Tick(), Tick(), Tick(800));
  CHECK(window.leaves(Tick(0)) == Tick(700));
  window.note(1, Tick(), Tick(), Tick(60));
  CHECK(window.leaves(Tick(0)) == Tick(800));
}

TEST_CASE("a packet of more sectors than the window holds fills it") {
  SendWindow window(3);
  window.note(4, Tick(), Tick(), Tick(300));
  CHECK(window.leaves(Tick(1)) == Tick(300));
}

TEST_CASE("what was meant to be sent by then has left as late as the last of it") {
  SendWindow window(2);
  CHECK(window.left(Tick(40)) == Tick());  // nothing was sent
  window.note(1, Tick(100), Tick(100), Tick(900));
  CHECK(window.left(Tick(100)) == Tick(100));
  window.note(1, Tick(120), Tick(170), Tick(900));
  CHECK(window.left(Tick(110)) == Tick(160));
  CHECK(window.left(Tick(500)) == Tick(170));  // nothing was sent after it
}
