// Barriers of some warps of a CTA: bar.sync and bar.arrive with a count, producers and consumers, warps that end early.
#include <doctest/doctest.h>

#include "microbench.h"
#include "models/cta_barriers.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// BAR.SYNC and BAR.ARV of barrier `id`, of `warps` warps; 0: all of the CTA.
Step named(OpClass op, int id, int warps) { return step(op).at_barrier(id | warps << 4); }
Step sync(int id, int warps = 0) { return named(OpClass::barrier, id, warps); }
Step arrive(int id, int warps = 0) { return named(OpClass::barrier_arrival, id, warps); }
Program wait_for(int cycles) { return repeated(cycles / 100, step(OpClass::nop).stall(100)); }

// Warp w of each CTA runs programs[w], on one SM.
Ran ran(const std::vector<Program>& programs, std::int64_t ctas = 1) {
  return run_timed(HandMadeKernel(ctas, static_cast<std::int64_t>(programs.size()) * kLanes, programs,
                                  [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); }),
                   one_sm());
}
std::uint64_t barrier_stall(const std::vector<Program>& programs) {
  return ran(programs).sm.stall_cycles[static_cast<std::size_t>(Stall::barrier)];
}

}  // namespace

TEST_CASE("a barrier of two warps holds these two, and the others pass by") {
  const Program slow = wait_for(2000);
  // The slow warp is the third: it does not take part.
  CHECK(barrier_stall({{sync(1, 2)}, {sync(1, 2)}, slow, slow}) < 100);
  // The slow warp is one of the two: the other waits for it, nobody else does.
  const std::uint64_t held = barrier_stall({{sync(1, 2)}, slow + Program{sync(1, 2)}, {}, {}});
  CHECK(held > 1900);
  CHECK(held < 2100);
  // Every warp of the CTA: three wait for the slow one.
  const std::uint64_t all = barrier_stall({{sync(1)}, slow + Program{sync(1)}, {sync(1)}, {sync(1)}});
  CHECK(all > 3 * 1900);
}

TEST_CASE("a count that is never reached is a deadlock, one that is reached twice goes round twice") {
  CHECK_THROWS_AS(ran({{sync(1, 3)}, {sync(1, 3)}}), DeadlockError);
  CHECK_THROWS_AS(ran({{sync(1, 2)}, {sync(1, 2)}, {sync(1, 2)}}), DeadlockError);
  CHECK(ran({{sync(1, 2)}, {sync(1, 2)}, {sync(1, 2)}, {sync(1, 2)}}).sm.ctas == 1);
  CHECK(ran({{sync(1, 1), sync(1, 1)}}).sm.ctas == 1);
}

TEST_CASE("BAR.ARV counts and goes on; BAR.SYNC waits for as many") {
  const Program slow = wait_for(2000);
  // The one that arrives does not wait for the one that comes late.
  CHECK(barrier_stall({{arrive(2, 2)}, slow + Program{sync(2, 2)}}) < 50);
  // The one that waits does wait for the late arrival.
  CHECK(barrier_stall({{sync(2, 2)}, slow + Program{arrive(2, 2)}}) > 1900);
  // Arrivals alone never hold anybody, also when they do not complete the barrier.
  CHECK(ran({{arrive(3, 2)}, {}}).sm.ctas == 1);
  CHECK(ran({{arrive(3, 2)}, {arrive(3, 2)}}).sm.ctas == 1);
}

TEST_CASE("a producer and its consumers take turns at two barriers") {
  // Full: the producer arrives, the consumers wait. Empty: the consumers arrive, the producer waits.
  constexpr int kFull = 4, kEmpty = 5, kRounds = 6, kWarps = 3;
  Program producer, consumer;
  for (int i = 0; i < kRounds; ++i) {
    producer = producer + wait_for(500) + Program{arrive(kFull, kWarps), sync(kEmpty, kWarps)};
    consumer = consumer + Program{sync(kFull, kWarps)} + wait_for(300) + Program{arrive(kEmpty, kWarps)};
  }
  const Ran turns = ran({producer, consumer, consumer});
  CHECK(turns.sm.ctas == 1);
  CHECK(turns.cycles > kRounds * 800);
  CHECK(turns.cycles < kRounds * 870);
  // With one empty buffer more, the producer works while the consumers do.
  Program ahead;
  for (int i = 0; i < kRounds; ++i)
    ahead =
        ahead + wait_for(500) + (i == 0 ? Program{} : Program{sync(kEmpty, kWarps)}) + Program{arrive(kFull, kWarps)};
  const Ran overlapped = ran({ahead + Program{sync(kEmpty, kWarps)}, consumer, consumer});
  CHECK(overlapped.cycles < turns.cycles - (kRounds - 1) * 250);
}

TEST_CASE("barriers of different numbers go on at the same time") {
  const Program slow = wait_for(3000);
  const Program quick = repeated(20, sync(2, 2));
  const Ran apart = ran({slow + Program{sync(1, 2)}, {sync(1, 2)}, quick, quick});
  CHECK(apart.cycles > 3000);
  CHECK(apart.cycles < 3100);
}

TEST_CASE("a warp that ends completes a barrier of all warps, but not one of a number of warps") {
  const Program slow = wait_for(1000);
  CHECK(ran({slow, {sync(0)}, {sync(0)}}).sm.ctas == 1);
  CHECK(ran({slow, {sync(0), sync(1)}, {sync(0), sync(1)}}).sm.ctas == 1);
  CHECK_THROWS_AS(ran({slow, {sync(0, 3)}, {sync(0, 3)}}), DeadlockError);
}

TEST_CASE("the warps of another CTA do not count") {
  CHECK_THROWS_AS(ran({{sync(1, 2)}}, 2), DeadlockError);
  CHECK(ran({{sync(1, 2)}, {sync(1, 2)}}, 40).sm.ctas == 40);
}

TEST_CASE("a barrier of more warps takes longer to come together, by pipes.barrier_arrival_cycles each") {
  const auto per_barrier = [](int warps) {
    const auto cycles = [&](int times) {
      return ran(std::vector<Program>(static_cast<std::size_t>(warps), repeated(times, sync(1, warps)))).cycles;
    };
    return static_cast<double>(cycles(40) - cycles(8)) / 32;
  };
  CHECK(per_barrier(8) == doctest::Approx(per_barrier(2) + 6 * 2).epsilon(0.1));
}

// BAR.SYNC.DEFER_BLOCKING (gpu/microbench/barrier.cu): 64 FFMAs behind a barrier are through 20,000 cycles before the
// other warp arrives; a load, a constant, a special function or a branch waits.
TEST_CASE("a warp that waits at a barrier goes on with arithmetic and HMMA, and with nothing else") {
  const Program slow = wait_for(2000);
  const auto cycles = [&](const Program& behind) {
    return ran({Program{sync(1, 2)} + behind, slow + Program{sync(1, 2)}}).cycles;
  };
  const Cycle nothing = cycles({});
  CHECK(cycles(repeated(1000, step(OpClass::fma))) < nothing + 20);
  CHECK(cycles(repeated(500, step(OpClass::fma).stall(2))) < nothing + 20);
  CHECK(cycles(Program{step(OpClass::tensor).working(8)} + repeated(1000, step(OpClass::fma))) < nothing + 30);
  for (const OpClass op : {OpClass::xu, OpClass::special, OpClass::nop, OpClass::branch, OpClass::uniform})
    CHECK(cycles(Program{step(op)} + repeated(1000, step(OpClass::fma))) > nothing + 1000);
  // What is left of the arithmetic when the other one arrives is still to be done.
  CHECK(cycles(repeated(3000, step(OpClass::fma))) > nothing + 900);
  // A load behind the arithmetic waits for the barrier, which is its warp's stall then.
  CHECK(barrier_stall({Program{sync(1, 2)} + repeated(1000, step(OpClass::fma)) + Program{step(OpClass::nop)},
                       slow + Program{sync(1, 2)}}) < 1100);
}

TEST_CASE("a barrier takes the warps that its instruction names, else all that have not ended") {
  CtaBarriers barriers;
  barriers.start(4);
  CHECK(!barriers.arrive(0, 0));
  CHECK(!barriers.arrive(0, 0));
  CHECK(!barriers.arrive(7, 2));  // another one
  CHECK(!barriers.arrive(0, 0));
  CHECK(barriers.arrive(0, 0));
  CHECK(barriers.arrive(7, 2));
  CHECK(!barriers.arrive(0, 0));  // empty again
  barriers.start(4);
  for (int i = 0; i < 3; ++i) CHECK(!barriers.arrive(0, 0));
  CHECK(barriers.alive() == 4);
}

TEST_CASE("each end of a warp completes the barriers that waited for it only") {
  CtaBarriers barriers;
  barriers.start(4);
  barriers.arrive(2, 0);
  barriers.arrive(2, 0);
  barriers.arrive(9, 3);
  CHECK(barriers.leave() == 0);
  CHECK(barriers.leave() == 1U << 2);
  CHECK(barriers.alive() == 2);
  CHECK(!barriers.arrive(9, 3));
  CHECK(barriers.arrive(9, 3));
}
