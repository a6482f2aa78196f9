// What is fetched from device memory is taken in by slices of L2 behind the stores that came before it.
#include "sim/engine/held_replies.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "engine_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kLines = 64;

MemoryRequest request(RequestKind kind, std::int64_t line, Cycle time, std::uint32_t fill = kNoFill) {
  MemoryRequest one;
  one.kind = kind;
  one.line = LineAddress::of(static_cast<std::uint64_t>(line) * 128);
  one.sectors = one.whole = SectorMask::all();
  one.time = time;
  one.fill = fill;
  return one;
}

// When the last of kLines lines, all asked for at once, is in the SM, with `stores` lines stored meanwhile.
Cycle last_ready(int stores) {
  const GpuSpec h200 = gpu("h200");
  MemorySystem memory(h200);
  HeldReplies held;
  Cycle last = 0;
  const auto done = [&last](const HeldReplies::Held& one) { last = std::max(last, one.ready); };
  for (int i = 0; i < kLines; ++i) {
    const MemoryRequest load = request(RequestKind::read, 2 * i, 100, static_cast<std::uint32_t>(i));
    CHECK(memory.serve(load) == kNever);
    REQUIRE(memory.coming());
    held.add(*memory.coming(), load.fill, load.sm);
  }
  // Each SM stores lines of its own, the same ones of every 16 MiB, until what was loaded comes.
  for (int i = 0; i < stores; ++i) {
    MemoryRequest store = request(RequestKind::write, 2 * (i % kLines) + 131072 * (1 + i / kLines), 300 + i / 132);
    store.sm = static_cast<std::uint16_t>(i % 132);
    memory.serve(store);
  }
  held.take_in(memory, 1 << 20, done);
  CHECK(held.empty());
  return last;
}

}  // namespace

TEST_CASE("stores that reach a slice first hold up what it takes in") {
  CHECK(last_ready(0) > 600);
  CHECK(last_ready(132 * 256) > last_ready(0) + 200);
}

TEST_CASE("nothing but stores holds a reply up") {
  const GpuSpec h200 = gpu("h200");
  MemorySystem memory(h200), other(h200);
  HeldReplies held;
  memory.serve(request(RequestKind::read, 7, 100, 1));
  held.add(*memory.coming(), 1, 0);
  const Cycle alone = other.serve(request(RequestKind::read, 7, 100));  // its data have been booked all the way
  CHECK(held.earliest() < alone);
  Cycle got = 0;
  held.take_in(memory, held.earliest() - 1, [&](const HeldReplies::Held&) { FAIL("too early"); });
  held.take_in(memory, alone, [&](const HeldReplies::Held& one) { got = one.ready; });
  CHECK(got == alone);
}

TEST_CASE("who shares a reply that is held back has it when its first asker has it") {
  const GpuSpec h200 = gpu("h200");
  for (const int stores : {0, 132 * 256}) {
    MemorySystem memory(h200);
    HeldReplies held;
    for (std::uint16_t sm = 0; sm < 3; ++sm) {
      MemoryRequest one = request(RequestKind::read, 0, 100 + 10 * sm, sm);
      one.sm = sm;
      memory.serve(one);
      REQUIRE(memory.coming());
      held.add(*memory.coming(), one.fill, sm);
    }
    CHECK(memory.counters().l2.read_sectors == kSectorsPerLine);
    for (int i = 0; i < stores; ++i) {
      MemoryRequest store = request(RequestKind::write, 2 * (i % kLines) + 131072 * (1 + i / kLines), 300 + i / 132);
      store.sm = static_cast<std::uint16_t>(i % 132);
      memory.serve(store);
    }
    std::vector<Cycle> ready;
    held.take_in(memory, 1 << 20, [&](const HeldReplies::Held& one) { ready.push_back(one.ready); });
    REQUIRE(ready.size() == 3);
    const auto [first, last] = std::ranges::minmax(ready);
    CHECK(last - first < 40);
  }
}
