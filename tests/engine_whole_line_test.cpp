// Loads that make L2 fetch the whole line (LDG.LTC128B): what they find, what they read from device memory.
#include "engine_runs.h"
#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kLinesBuffer = 1U << 30;

// One lane's word in sector `sector` of the first line, past L1.
Step sector_load(std::uint64_t sector, bool whole_line) {
  Step made = load_global(strided(kLinesBuffer + sector * 32, 0, 4, 1)).bypassing_l1().sets(0);
  made.instruction.detail = whole_line ? 1 : 0;
  return made;
}
Step sector_copy(std::uint64_t sector, bool whole_line) {
  Step made = step(OpClass::async_copy, {strided(kLinesBuffer + sector * 32, 0, 4, 1), strided(0, 0, 4, 1)});
  made.instruction.detail = whole_line ? 1 : 0;
  return std::move(made).bypassing_l1().sets(0);
}
Step sector_here() { return step(OpClass::nop).waits_for(0); }
Ran read_lines(const Program& program) { return run_timed(HandMadeKernel(1, kLanes, program), one_sm()); }

}  // namespace

TEST_CASE("a read of a whole line brings what its neighbours find in L2, and the other half from memory once") {
  using Make = Step (*)(std::uint64_t, bool);
  for (const Make make : {Make{sector_load}, Make{sector_copy}})
    for (const std::uint64_t first : {0U, 1U, 3U}) {
      CAPTURE(first);
      const std::uint64_t other = first < 2 ? 3 : 0;  // of the half that is not fetched with it
      const auto both = [&](bool whole_line) {
        return read_lines({make(first, whole_line), sector_here(), make(other, whole_line), sector_here()});
      };
      const Ran apart = both(false), together = both(true);
      CHECK(apart.memory.hbm.read_bytes == 128);
      CHECK(together.memory.hbm.read_bytes == 128);
      CHECK(apart.memory.l2.read_hit_sectors == 0);
      CHECK(together.memory.l2.read_hit_sectors == 1);
      CHECK(together.cycles + 100 < apart.cycles);
      CHECK(read_lines({make(first, true), sector_here()}).memory.hbm.read_bytes == 128);
      CHECK(read_lines({make(first, false), sector_here()}).memory.hbm.read_bytes == 64);
    }
}

TEST_CASE("the load that fetches a whole line waits for its own part alone") {
  CHECK(read_lines({sector_load(0, true), sector_here()}).timeline.at(0).end ==
        read_lines({sector_load(0, false), sector_here()}).timeline.at(0).end);
}

TEST_CASE("counting and timing fetch whole lines alike") {
  for (const bool whole_line : {false, true}) {
    CAPTURE(whole_line);
    Program program;
    for (std::uint64_t sector = 0; sector < 4; ++sector) {
      program.push_back(sector_load(sector, whole_line));
      program.push_back(sector_here());
    }
    const HandMadeKernel kernel(1, kLanes, program);
    const RunOutcome timed = run(h200(), kernel, Mode::timing), counted = run(h200(), kernel, Mode::counts);
    CHECK(timed.memory.l2.read_hit_sectors == (whole_line ? 3 : 2));
    CHECK(counted.memory.l2.read_hit_sectors == timed.memory.l2.read_hit_sectors);
    CHECK(counted.memory.hbm.read_bytes == timed.memory.hbm.read_bytes);
  }
}
