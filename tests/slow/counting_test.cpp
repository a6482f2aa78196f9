// Counts mode against timing mode: the same L1, L2 and HBM traffic without timing instructions, within a tolerance.
#include <cmath>

#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

void check_near(const char* what, std::uint64_t counted, std::uint64_t timed, double tolerance_pct) {
  const double off = 100 * (static_cast<double>(counted) / static_cast<double>(timed) - 1);
  INFO(std::string(what) << ": counted " << counted << ", timed " << timed << ", off by " << off << " %");
  CHECK(std::abs(off) <= tolerance_pct);
}

}  // namespace

// Timing decides which SMs of a GPC ask for a line at the same time, so that L2 reads differ more than what L1 asks
// for.
TEST_CASE("counting finds timing's L1 fills within 5 %, HBM bytes within 3 %, L2 reads within 10 %") {
  struct {
    std::string name, m, n, k;
  } const rows[] = {
      {"gemm_tiled", "512", "512", "512"},
      {"gemm_tiled", "1000", "777", "513"},
      {"gemm_register", "512", "512", "512"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.m);
    const auto made = kernel(row.name, {{"M", row.m}, {"N", row.n}, {"K", row.k}});
    const RunOutcome counted = run(h200(), *made, Mode::counts);
    const RunOutcome timed = run(h200(), *made, Mode::timing);
    check_near("L1 fill sectors", counted.sm.fill_sectors, timed.sm.fill_sectors, 5);
    check_near("L2 read sectors", counted.memory.l2.read_sectors, timed.memory.l2.read_sectors, 10);
    // Where instructions are timed some stores join others.
    check_near("L2 write sectors", counted.memory.l2.write_sectors,
               timed.memory.l2.write_sectors + timed.sm.joined_sectors, 0);
    check_near("HBM read bytes", counted.memory.hbm.read_bytes, timed.memory.hbm.read_bytes, 3);
  }
}

TEST_CASE("counting one line in some gives the traffic of all") {
  // 9 million look-ups: one line in eight is looked up.
  const auto made = kernel("gemm_tiled", {{"M", "1664"}, {"N", "1664"}, {"K", "1664"}, {"tile", "32"}});
  const RunOutcome sampled = run(h200(), *made, Mode::counts, Sample::fast);
  const RunOutcome all = run(h200(), *made, Mode::counts, Sample::off);
  CHECK(sampled.sampled_fraction < 1);
  CHECK(all.sampled_fraction == 1);
  check_near("L1 fill sectors", sampled.sm.fill_sectors, all.sm.fill_sectors, 3);
  // Which SMs ask at the same time changes with what the slices are spared, and with their ways to L2: 10.7 % here.
  check_near("L2 read sectors", sampled.memory.l2.read_sectors, all.memory.l2.read_sectors, 12);
  check_near("HBM read bytes", sampled.memory.hbm.read_bytes, all.memory.hbm.read_bytes, 3);
}
