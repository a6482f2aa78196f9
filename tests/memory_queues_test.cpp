// The queues between the issue of memory instructions and the pipeline of the SM are in order, whatever they are for.
#include "models/memory_queues.h"

#include <doctest/doctest.h>

#include <array>

using namespace tilescope;

namespace {

LsuSpec spec() {
  LsuSpec lsu;
  lsu.queue_entries = 3;
  lsu.global_queue_per_sub = 2;
  lsu.shared_queue_entries = 4;
  lsu.wide_queue_places = 2;
  lsu.global_queue_entries = 1;
  lsu.found_queue_entries = 2;
  lsu.data_queue_registers = 4;
  lsu.issue_cycles = 0;
  lsu.wide_issue_cycles = 4;
  lsu.pipeline_cycles = 8;
  return lsu;
}

}  // namespace

TEST_CASE("a sub-partition has room for so many instructions, and for fewer of global memory") {
  MemoryQueues queues(spec(), 2);
  for (int i = 0; i < 4; ++i) {
    queues.enter(MemoryQueues::shared, 0, 1, false, 0);
    queues.leave_shared(100 + i, 0);
  }
  CHECK(queues.room_at(MemoryQueues::shared, 0) == 0);
  // The SM's queue is full until 100.
  queues.enter(MemoryQueues::global, 0, 0, false, 0);
  queues.leave_global(200);
  queues.enter(MemoryQueues::global, 0, 0, false, 0);
  queues.leave_global(300);
  CHECK(queues.room_at(MemoryQueues::shared, 0) == 0);
  CHECK(queues.room_at(MemoryQueues::global, 0) == 100);
}

TEST_CASE("an access to shared memory stands behind those to global memory that are before it, as far as their queue") {
  MemoryQueues queues(spec(), 1);
  CHECK(queues.enter(MemoryQueues::global, 0, 0, false, 0) == 0);
  queues.leave_global(50);
  // The second waits in the SM's queue for the place that the first has behind it; what comes then waits, too.
  CHECK(queues.enter(MemoryQueues::global, 1, 0, false, 0) == 50);
  queues.leave_global(60);
  CHECK(queues.enter(MemoryQueues::shared, 2, 0, false, 0) == 50);
  queues.leave_shared(55, 0);
  CHECK(queues.enter(MemoryQueues::shared, 3, 0, false, 0) == 55);
}

TEST_CASE("addresses of 64 bits take several places, and a sub-partition's way to the SM's queue takes its time") {
  MemoryQueues queues(spec(), 2);
  CHECK(queues.enter(MemoryQueues::global, 0, 0, true, 0) == 0);
  queues.leave_global(90);
  CHECK(queues.enter(MemoryQueues::shared, 0, 0, false, 0) == 4);
  queues.leave_shared(80, 0);
  // Two places are free at 0 and two more when what is before has left.
  CHECK(queues.enter(MemoryQueues::shared, 0, 1, false, 0) == 80);
  queues.leave_shared(81, 0);
  CHECK(queues.enter(MemoryQueues::global, 0, 1, true, 0) == 90);
}

TEST_CASE("a load that hits lets the next one be looked up while few before it wait for the data stage") {
  MemoryQueues queues(spec(), 1);
  for (const Cycle begins : {100, 110}) {
    CHECK(queues.enter(MemoryQueues::global, 0, 0, false, 0) == 0);
    queues.leave_global(0, begins);
  }
  queues.enter(MemoryQueues::global, 0, 0, false, 0);
  queues.leave_global(1, 120);  // waits for the place of the first
  CHECK(queues.enter(MemoryQueues::global, 0, 0, false, 0) == 100);
  queues.leave_global(101);
  CHECK(queues.enter(MemoryQueues::global, 0, 0, false, 0) == 101);
}

TEST_CASE("registers follow one another on a sub-partition's way, those behind the first on the way of all") {
  LsuSpec lsu = spec();
  lsu.issue_cycles = lsu.operand_register_cycles = 2;
  lsu.operand_common_cycles = 1;
  lsu.data_queue_registers = 100;
  lsu.shared_queue_entries = 100;
  MemoryQueues queues(lsu, 4);
  for (std::size_t sub = 0; sub < 4; ++sub) {  // four stores of four registers: 16 on the way of all
    queues.enter(MemoryQueues::shared, 0, sub, false, 4);
    CHECK(queues.begins() == 0);
    CHECK(queues.data_cycles() == std::array<Cycle, 4>{8, 9, 16, 17}[sub]);
    queues.leave_shared(0, 0);
  }
  // The next store of the first sub-partition begins when the one before it is handed on.
  queues.enter(MemoryQueues::shared, 0, 0, false, 1);
  CHECK(queues.begins() == 10);
}

TEST_CASE("what stores bring stands in a buffer until they pass the data stage") {
  MemoryQueues queues(spec(), 2);
  queues.enter(MemoryQueues::shared, 0, 0, false, 3);
  queues.leave_shared(0, 50);
  queues.enter(MemoryQueues::shared, 0, 0, false, 1);
  queues.leave_shared(0, 60);
  CHECK(queues.enter(MemoryQueues::shared, 0, 1, false, 3) == 50);
  queues.leave_shared(50, 70);
  CHECK(queues.enter(MemoryQueues::shared, 0, 0, false, 0) == 50);  // a load brings nothing, but is behind it
}
