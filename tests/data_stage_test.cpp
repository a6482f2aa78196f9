// Accesses to shared memory, hits of L1 and answers of L2 take turns at the data stage.
#include "models/data_stage.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tilescope;

TEST_CASE("a lane passes what it accepts in order, one wavefront a cycle") {
  DataStage stage(5);
  CHECK(stage.take(DataStage::shared, 10, 4) == 10);
  CHECK(stage.take(DataStage::shared, 11, 1) == 14);
  CHECK(stage.take(DataStage::shared, 20, 1) == 20);
  CHECK(stage.free(DataStage::shared) == 21);
  stage.hold(DataStage::shared, 40);
  CHECK(stage.take(DataStage::shared, 30, 1) == 40);
}

TEST_CASE("an access lets one of each lane pass that has work waiting, and delays the rest of it") {
  DataStage stage(5);
  for (int i = 0; i < 4; ++i) stage.take(DataStage::shared, 0, 3);
  CHECK(stage.take(DataStage::hits, 2, 2) == 5);
  CHECK(stage.free(DataStage::shared) == 14);
}

TEST_CASE("a load that has waited for L2 lets several pass that hit, but not more than there are") {
  DataStage stage(5);
  for (int i = 0; i < 8; ++i) stage.take(DataStage::hits, 0, 2);
  CHECK(stage.take(DataStage::answers, 1, 1) == 11);
  CHECK(stage.take(DataStage::answers, 1, 1) == 17);
}

TEST_CASE("answers do not wait for all that shared memory still accepts, and neither loses the other's time") {
  constexpr Cycle kEvery = 10, kCycles = 1000;
  DataStage stage(5);
  Cycle longest = 0, shared_end = 0;
  for (Cycle now = 0; now < kCycles; ++now) {
    // Shared memory alone would fill the stage.
    shared_end = stage.take(DataStage::shared, now, 1) + 1;
    if (now % kEvery == 0) longest = std::max(longest, stage.take(DataStage::answers, now, 1) - now);
  }
  CHECK(longest < kEvery);
  CHECK(shared_end > kCycles + kCycles / kEvery / 2);
  CHECK(shared_end <= kCycles + kCycles / kEvery);
}

TEST_CASE("a read of many wavefronts lets others pass between them") {
  DataStage stage(5);
  stage.take(DataStage::operands, 0, 64, 1);
  CHECK(stage.take(DataStage::shared, 0, 2) == 1);
  CHECK(stage.free(DataStage::operands) == 66);
  stage.take(DataStage::operands, 100, 64);
  CHECK(stage.take(DataStage::shared, 100, 2) == 164);
}
