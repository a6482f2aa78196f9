// Turns of sub-partitions at the SM's queue, alone and in a register tile whose stores were counted.
#include "models/queue_turns.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine_runs.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::int64_t kPlaces = 3;

// Sub-partition 0 fills its queue in a row, then 1: one leaves every 10 cycles.
QueueTurns two_rows() {
  QueueTurns turns(2, kPlaces, kPlaces);
  Cycle leaves = 0;
  for (std::size_t sub = 0; sub < 2; ++sub)
    for (int i = 0; i < kPlaces; ++i) turns.enter(sub, 0, leaves += 10, true);
  return turns;
}

}  // namespace

TEST_CASE("a sub-partition alone has a place free whenever one of its own has left") {
  QueueTurns turns(4, kPlaces, kPlaces);
  std::vector<Cycle> rooms;
  Cycle now = 0;
  for (int i = 1; i <= 6; ++i) {
    turns.enter(2, now, 10 * i, false);
    rooms.push_back(now = turns.room_at(2));
  }
  CHECK(rooms == std::vector<Cycle>{0, 0, 10, 20, 30, 40});
  CHECK(turns.room_at(0) == 0);
}

TEST_CASE("sub-partitions whose queues are full have places free in turn, in whatever rows they have issued") {
  QueueTurns turns = two_rows();
  CHECK(turns.room_at(0) == 10);  // promised before the other came
  CHECK(turns.room_at(1) == 20);  // not 40
  turns.enter(0, 10, 70, true);
  CHECK(turns.room_at(0) == 30);
  turns.enter(1, 20, 80, true);
  CHECK(turns.room_at(1) == 40);
  turns.enter(0, 30, 90, true);
  CHECK(turns.room_at(0) == 50);
}

TEST_CASE("one that has places left leaves the turns of the others alone") {
  QueueTurns turns(2, kPlaces, kPlaces);
  for (int i = 1; i <= kPlaces; ++i) turns.enter(0, 0, 10 * i, true);
  turns.enter(1, 0, 40, true);
  turns.enter(0, 10, 50, true);
  CHECK(turns.room_at(0) == 20);
  CHECK(turns.room_at(1) == 0);
}

TEST_CASE("places for global memory are fewer, and others still come beside them") {
  QueueTurns turns(1, 3, 2);
  turns.enter(0, 0, 10, false);
  turns.enter(0, 0, 20, true);
  CHECK(turns.global_room_at(0) == 0);
  turns.enter(0, 1, 30, true);
  CHECK(turns.room_at(0) == 10);
  CHECK(turns.global_room_at(0) == 20);  // the first of global memory
}

TEST_CASE("stores of eight lines by eight warps leave the SM one by one") {
  // l1tex__m_l1tex2xbar_write_sectors of gemm_register_128x128x8_8x8_v1, 512 x 512 x 512, in
  // gpu/measured/h200/gemm_train.csv. By rows of one sub-partition a third of the stores would join others.
  constexpr double kMeasured = 261344, kStored = 262144;
  const SassScratch scratch;
  const std::string launch = scratch.write(
      "launch.yaml", "kernel: {sass: " + sass_samples + "gpu/gemm_register.sm_90.sass, elf: " + sass_samples +
                         "gpu/gemm_register.sm_90.elf, name: \"gemm_registerILi128ELi128ELi8ELi8ELi8ELi1E\"}\n"
                         "grid: [4, 4]\nblock: [256]\n"
                         "args: [{buffer: 1048576}, {buffer: 1048576}, {buffer: 1048576}, 512, 512, 512, 1]\n");
  const auto outcome = run(gpu("h200"), *sass_kernel(launch), Mode::timing, Sample::off, 2);
  const double sent = kStored - static_cast<double>(outcome.sm.joined_sectors);
  CHECK(sent == doctest::Approx(kMeasured).epsilon(0.04));
}
