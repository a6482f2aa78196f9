// sim/engine/timing/scheduler.h: which of a sub-partition's warps issues.
#include "sim/engine/timing/scheduler.h"

#include <doctest/doctest.h>

using namespace tilescope;

namespace {

// Four warps, two of the CTA in slot 3 and two of a younger one in slot 1.
Scheduler four_warps() {
  Scheduler scheduler;
  for (const std::uint16_t warp : {10, 11}) scheduler.add(warp, 3);
  for (const std::uint16_t warp : {20, 21}) scheduler.add(warp, 1);
  return scheduler;
}

Scheduler::Choice choose(Scheduler& scheduler, Cycle now, Cycle fma_taken = 0, Cycle room = 0, Cycle mio_taken = 0) {
  std::array<Cycle, kPipes> taken{};
  taken[static_cast<std::size_t>(Pipe::fma)] = fma_taken;
  taken[static_cast<std::size_t>(Pipe::mio)] = mio_taken;
  return scheduler.choose(now, taken, [&](Cycle) { return room; });
}

}  // namespace

TEST_CASE("a warp that has just come can issue nothing yet") {
  Scheduler scheduler = four_warps();
  CHECK(choose(scheduler, 5).place == Scheduler::kNone);
  CHECK(choose(scheduler, 5).earliest == kNever);
}

TEST_CASE("of ready warps one of the oldest CTA issues, the one that has waited longest") {
  Scheduler scheduler = four_warps();
  for (int place = 0; place < 4; ++place) scheduler.set(place, Pipe::alu, 2);
  scheduler.issue(0, 1, false);
  CHECK(choose(scheduler, 2).place == 1);
  scheduler.issue(1, 2, false);
  CHECK(choose(scheduler, 3).place == 0);
}

TEST_CASE("of warps that issued at the same time the younger one issues") {
  Scheduler scheduler = four_warps();
  scheduler.set(0, Pipe::alu, 0);
  scheduler.set(1, Pipe::alu, 0);
  CHECK(choose(scheduler, 0).place == 1);
}

TEST_CASE("a warp whose instruction does not yield goes on as long as it can, also before an older CTA's") {
  Scheduler scheduler = four_warps();
  for (int place = 0; place < 4; ++place) scheduler.set(place, Pipe::fma, 0);
  scheduler.issue(2, 1, true);
  CHECK(choose(scheduler, 2).place == 2);
  CHECK(choose(scheduler, 2, 4).place == Scheduler::kNone);  // its pipe is taken, and theirs: its turn is over
  CHECK(choose(scheduler, 4).place == 1);
  scheduler.issue(2, 5, true);
  scheduler.set(2, Pipe::fma, 9);
  CHECK(choose(scheduler, 6).place == 1);
  scheduler.set(2, Pipe::fma, 0);
  scheduler.issue(2, 3, false);
  CHECK(choose(scheduler, 4).place == 1);
}

TEST_CASE(
    "a warp that waits for a place in the queue goes on before the others of its CTA, whatever issues meanwhile") {
  Scheduler scheduler = four_warps();
  scheduler.set(0, Pipe::mio, 0);
  scheduler.set(1, Pipe::mio, 0);
  scheduler.issue(1, 5, true);
  scheduler.set(1, Pipe::mio, 9);  // a stall count of four
  CHECK(choose(scheduler, 6, 0, 0, 12).place == Scheduler::kNone);
  scheduler.set(0, Pipe::alu, 0);
  CHECK(choose(scheduler, 7, 0, 0, 12).place == 0);
  scheduler.issue(0, 7, true);
  scheduler.set(0, Pipe::mio, 8);
  CHECK(choose(scheduler, 12, 0, 0, 12).place == 1);
  // An older CTA's warp goes first, and one that has waited for more than the queue has no claim.
  scheduler.issue(2, 13, true);
  scheduler.set(2, Pipe::mio, 14);
  CHECK(choose(scheduler, 14, 0, 0, 20).place == Scheduler::kNone);
  CHECK(choose(scheduler, 20, 0, 0, 20).place == 1);
  scheduler.issue(0, 21, true);
  scheduler.set(0, Pipe::mio, 40);
  CHECK(choose(scheduler, 22, 0, 0, 44).place == Scheduler::kNone);
  CHECK(choose(scheduler, 44, 0, 0, 44).place == 1);
}

TEST_CASE("a pipe that is taken holds up its warps only") {
  Scheduler scheduler = four_warps();
  scheduler.set(0, Pipe::fma, 0);
  scheduler.set(2, Pipe::alu, 0);
  CHECK(choose(scheduler, 4, 6).place == 2);
  scheduler.set(2, Pipe::alu, kNever);
  const Scheduler::Choice none = choose(scheduler, 4, 6);
  CHECK(none.place == Scheduler::kNone);
  CHECK(none.earliest == 6);
}

TEST_CASE("global memory without room holds up loads until there is some") {
  Scheduler scheduler = four_warps();
  scheduler.set(1, Pipe::lg, 0);
  CHECK(choose(scheduler, 4, 0, 9).earliest == 9);
  CHECK(choose(scheduler, 4, 0, 0).place == 1);
}

TEST_CASE("when a CTA leaves, the others keep their order and what is known of them") {
  Scheduler scheduler = four_warps();
  scheduler.set(2, Pipe::alu, 30);
  scheduler.set(3, Pipe::alu, 20);
  std::vector<std::pair<int, int>> moved;
  scheduler.remove(3, [&](std::uint16_t warp, std::uint16_t place) { moved.emplace_back(warp, place); });
  CHECK(moved == std::vector<std::pair<int, int>>{{20, 0}, {21, 1}});
  CHECK(scheduler.size() == 2);
  CHECK(scheduler.earliest_ready() == 20);
  CHECK(choose(scheduler, 25).place == 1);
}
