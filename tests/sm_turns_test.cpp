// Threads share a window's SMs: each is advanced once, and most stay with their thread.
#include "sim/engine/sm_turns.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "sim/engine/sm_set.h"

namespace tilescope {
namespace {

std::vector<std::size_t> taken_by(SmTurns& turns, std::size_t thread, bool helps) {
  std::vector<std::size_t> taken;
  turns.each(thread, helps, [&](std::size_t sm, std::size_t) { taken.push_back(sm); });
  return taken;
}

TEST_CASE("a thread takes its own SMs in order, then those of others from their last on") {
  SmTurns turns(7, 2);
  CHECK(taken_by(turns, 1, true) == std::vector<std::size_t>{1, 3, 5, 6, 4, 2, 0});
  CHECK(taken_by(turns, 0, true).empty());
  turns.begin();
  CHECK(taken_by(turns, 1, false) == std::vector<std::size_t>{1, 3, 5});
  CHECK(taken_by(turns, 0, true) == std::vector<std::size_t>{0, 2, 4, 6});
}

TEST_CASE("what is said to come next comes next, where no other thread takes it") {
  SmTurns turns(7, 3);
  std::size_t expected = 0;
  turns.each(0, true, [&](std::size_t sm, std::size_t next) {
    if (expected != sm) CHECK(sm % 3 != expected % 3);  // another thread's SMs begin
    expected = next;
  });
}

TEST_CASE("threads that take turns at once advance each SM once") {
  constexpr std::size_t kSms = 1000, kThreads = 3;
  SmTurns turns(kSms, kThreads);
  for (int window = 0; window < 20; ++window) {
    turns.begin();
    std::vector<std::vector<std::size_t>> taken(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&turns, &own = taken[t], t] { own = taken_by(turns, t, true); });
    for (std::thread& thread : threads) thread.join();
    std::vector<int> times(kSms);
    for (const auto& own : taken)
      for (const std::size_t sm : own) ++times[sm];
    CHECK(times == std::vector<int>(kSms, 1));
  }
}

TEST_CASE("sets of SMs are visited in order, whoever has added to them") {
  SmSet all(132), other(132);
  for (const std::size_t sm : {std::size_t{131}, std::size_t{64}}) all.add(sm);
  for (const std::size_t sm : {std::size_t{0}, std::size_t{64}}) other.add(sm);
  all |= other;
  std::vector<std::size_t> visited;
  all.each([&](std::size_t sm) { visited.push_back(sm); });
  CHECK(visited == std::vector<std::size_t>{0, 64, 131});
  all.clear();
  all.each([](std::size_t) { FAIL("it is empty"); });
}

}  // namespace
}  // namespace tilescope
