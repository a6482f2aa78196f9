// How loads of words that lanes share reach the register file: models/register_writes.h.
#include "models/register_writes.h"

#include <doctest/doctest.h>

#include <vector>

using namespace tilescope;

namespace {

struct Written {
  int warp;
  Cycle when;
  bool operator==(const Written&) const = default;
};

struct Writes {
  RegisterWrites registers;
  std::vector<Written> done;

  auto note() {
    return [this](const RegisterWrites::Load& load, Cycle when) { done.push_back({load.warp, when}); };
  }
  void add(Cycle complete, int passes, int warp) {
    registers.add({complete, static_cast<std::uint16_t>(passes), static_cast<std::uint16_t>(warp), 0});
  }
  // The port issues an instruction that writes a register in every cycle of [from, until); returns those it loses.
  Cycle busy(Cycle from, Cycle until) {
    Cycle lost = 0;
    for (Cycle now = from; now < until;) {
      const Cycle free = registers.insist(now + 1, note());
      lost += free - now - 1;
      now = free;
    }
    return lost;
  }
};

}  // namespace

TEST_CASE("a load is written when it comes if nothing is dispatched then") {
  Writes writes;
  writes.add(100, 2, 7);
  writes.registers.use(0, 92, writes.note());
  CHECK(writes.done.empty());
  CHECK(writes.registers.next(0) == 92);  // its second pass
  writes.registers.use(92, 93, writes.note());
  CHECK(writes.done == std::vector<Written>{{7, 100}});
  CHECK(!writes.registers.any());
}

TEST_CASE("a load waits for the first cycle in which no register is written") {
  Writes writes;
  writes.add(100, 1, 7);
  CHECK(writes.busy(80, 105) == 0);
  writes.registers.use(105, 106, writes.note());
  CHECK(writes.done == std::vector<Written>{{7, 113}});
}

TEST_CASE("a load that finds no such cycle for 16 keeps the port for three") {
  Writes writes;
  writes.add(100, 1, 7);  // there at 92
  CHECK(writes.busy(80, 200) == 3);
  CHECK(writes.done == std::vector<Written>{{7, 119}});
}

TEST_CASE("what waits is written in those three cycles, three passes at most") {
  Writes writes;
  writes.add(100, 2, 1);
  writes.add(100, 2, 2);
  CHECK(writes.busy(80, 116) == 3);
  CHECK(writes.done == std::vector<Written>{{1, 119}});
  CHECK(writes.busy(116, 140) == 3);
  CHECK(writes.done.size() == 2);
}

TEST_CASE("passes that had no room to wait come four cycles apart") {
  Writes writes;
  for (int warp = 0; warp < 6; ++warp) writes.add(100 + warp, 1, warp);
  CHECK(writes.busy(80, 107) == 0);
  writes.registers.use(107, 200, writes.note());
  CHECK(writes.done == std::vector<Written>{{0, 115}, {1, 116}, {2, 117}, {3, 119}, {4, 123}, {5, 127}});
}

TEST_CASE("a load that fills one register a pass waits for those in front of it") {
  Writes writes;
  writes.add(100, 1, 1);
  writes.add(101, 0, 2);
  CHECK(writes.busy(80, 107) == 0);
  writes.registers.use(107, 108, writes.note());
  CHECK(writes.done == std::vector<Written>{{1, 115}, {2, 115}});
}
