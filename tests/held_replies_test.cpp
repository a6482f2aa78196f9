// What is fetched from device memory is taken in by slices of L2 behind the stores that came before it.
#include "sim/engine/held_replies.h"

#include <doctest/doctest.h>

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
    const Cycle ready = memory.serve(load);
    REQUIRE(memory.coming());
    held.add(*memory.coming(), ready, load.fill, load.sm);
  }
  held.settle();
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
  MemorySystem memory(h200);
  HeldReplies held;
  const Cycle ready = memory.serve(request(RequestKind::read, 7, 100, 1));
  held.add(*memory.coming(), ready, 1, 0);
  CHECK(held.later(0, 1, 9));
  CHECK_FALSE(held.later(0, 2, 9));
  held.settle();
  CHECK(held.earliest() < ready);
  Cycle got = 0;
  held.take_in(memory, held.earliest() - 1, [&](const HeldReplies::Held&) { FAIL("too early"); });
  held.take_in(memory, ready, [&](const HeldReplies::Held& one) { got = one.ready; });
  CHECK(got == ready + 9);
}
