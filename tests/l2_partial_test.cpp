// Sectors that are written in part: when a read finds them, and which lines L2 completes, against
// gpu/microbench/counted_partial.cu (gpu/measured/h100/partial_counted.csv).
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "engine_runs.h"
#include "models/l2_partition.h"
#include "sim/engine/memory_system.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr SectorMask kFirst = SectorMask::of(0);
constexpr LineAddress kLine = LineAddress::of(1ULL << 32U);

struct Bench {
  GpuSpec spec = gpu("h100");
  AddressHash hash{spec};
  L2Partition l2{spec, hash, 0};

  bool finds(SectorMask sectors) { return l2.lookup(kLine, sectors, Tick()).present == sectors; }
};

// A word of each of `sectors` sectors of `lines` lines is stored, in order. Returns what the chip counts.
MemoryCounters stored(const GpuSpec& spec, std::uint64_t lines, unsigned sectors) {
  MemorySystem memory(spec);
  const SectorMask touched((1U << sectors) - 1);
  for (std::uint64_t i = 0; i < lines; ++i)
    memory.serve({.time = static_cast<Cycle>(i),
                  .line = LineAddress::of((1ULL << 32U) + i * kLineBytes),
                  .sm = static_cast<std::uint16_t>(i % 132),
                  .sectors = touched,
                  .kind = RequestKind::partial_write,
                  .words = 0x01010101U});
  return memory.counters();
}

}  // namespace

TEST_CASE("a sector is present when all of its words have been written, or what it lacks has come") {
  Bench parts;
  parts.l2.write(kLine, kFirst, 0x0FU);
  CHECK_FALSE(parts.finds(kFirst));
  parts.l2.write(kLine, kFirst, 0x30U);
  CHECK_FALSE(parts.finds(kFirst));
  parts.l2.write(kLine, kFirst, 0xC0U);
  CHECK(parts.finds(kFirst));

  Bench fetched;
  fetched.l2.write(kLine, kFirst | SectorMask::of(1), 0x01FFU);
  CHECK(fetched.finds(kFirst));
  CHECK_FALSE(fetched.finds(SectorMask::of(1)));
  fetched.l2.fill(kLine, SectorMask::of(1), Tick());
  CHECK(fetched.finds(kFirst | SectorMask::of(1)));
  fetched.l2.write(kLine, SectorMask::of(1), 0x0100U);  // it stays whole
  CHECK(fetched.finds(SectorMask::of(1)));
}

TEST_CASE("what has been written of a sector is forgotten when the other partition has overwritten it") {
  Bench bench;
  bench.l2.keep(kLine, kFirst, 0x0FU);
  bench.l2.invalidate(kLine, kFirst);
  bench.l2.keep(kLine, kFirst, 0xF0U);
  CHECK_FALSE(bench.finds(kFirst));
}

TEST_CASE("a read of a sector that is written in part fetches it from HBM") {
  const GpuSpec spec = gpu("h100");
  MemorySystem memory(spec);
  memory.serve({.line = kLine, .sectors = kFirst, .kind = RequestKind::partial_write, .words = 0x01U});
  const Cycle missed = memory.serve({.time = 10000, .line = kLine, .sectors = kFirst}) - 10000;
  const Cycle hit = memory.serve({.time = 20000, .line = kLine, .sectors = kFirst}) - 20000;
  CHECK(missed > hit + 200);
  CHECK(memory.counters().hbm.read_bytes == 64);
}

// Counted are 17, 23, 34 to 39, 50 to 67 and 92 % of the sectors.
TEST_CASE("of many lines that are written in part L2 completes as many as on hardware, and a few less") {
  struct {
    std::uint64_t lines;
    unsigned sectors;
    double counted;
  } const rows[] = {{81920, 1, 0.229},  {81920, 4, 0.215},  {98304, 1, 0.337},  {98304, 4, 0.387},
                    {131072, 1, 0.500}, {131072, 4, 0.668}, {262144, 4, 0.835}, {524288, 1, 0.916}};
  const GpuSpec spec = gpu("h100");
  for (const auto& [lines, sectors, counted] : rows) {
    CAPTURE(lines);
    CAPTURE(sectors);
    const MemoryCounters counters = stored(spec, lines, sectors);
    const double all = static_cast<double>(lines * sectors);
    CHECK(std::abs(static_cast<double>(counters.l2.completed_sectors) / all - counted) < 0.17);
    CHECK(counters.hbm.read_bytes == counters.l2.completed_sectors * kSectorBytes);
  }
  CHECK(stored(spec, 24576, 4).l2.completed_sectors == 0);
  CHECK(stored(gpu("h100", {"l2.partial_lines=0"}), 131072, 4).l2.completed_sectors == 0);
}
