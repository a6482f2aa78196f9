// What keeps the dispatch port of a sub-partition, and that it stands still meanwhile, the stall counts of its warps,
// too: gpu/instructions/held_rows.txt, gpu/measured/h200/held_rows.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "measured_rows.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

std::vector<Row> rows_of(const std::string& prefix, int most_warps) {
  static const std::vector<Row> all = rows("h200", "held_rows");
  std::vector<Row> some;
  for (const Row& row : all)
    if (row.name.starts_with(prefix) && row.warps <= most_warps) some.push_back(row);
  REQUIRE_FALSE(some.empty());
  return some;
}

// Of the clocks of all such rows of at most four warps, one to a sub-partition: by how many cycles one is off at most.
double off(const std::string& prefix, const std::vector<std::string>& changes = {}) {
  double most = 0;
  for (const Row& row : rows_of(prefix, 4)) most = std::max(most, test::off(row, "h200", changes));
  return most;
}

}  // namespace

TEST_CASE(
    "behind a 64-bit multiply-add nothing issues for two cycles but what comes in the next, nor do stall counts run") {
  CHECK(off("wide") == 0);
  CHECK(off("wide", {"pipes.wide_issue_cycles=1"}) >= 2);
}

TEST_CASE("an instruction that waits for a register bank holds up what comes two cycles later and after that") {
  CHECK(off("one bank") == 0);
}

TEST_CASE("arithmetic waits for the registers that a load reads three and five cycles after its issue") {
  CHECK(off("load ") <= 2);
  CHECK(off("load x12") <= 1);
}

TEST_CASE("a branch that is not taken costs its stall count") { CHECK(off("untaken") == 0); }

TEST_CASE("a constant is there 25 cycles after its load issues") {
  CHECK(off("constant") == 0);
  CHECK(off("constant", {"pipes.constant_latency_cycles=30"}) == 10);  // two in a row
}

TEST_CASE("a load costs arithmetic that reads both banks in every cycle one cycle, a 64-bit multiply-add three") {
  for (const Row& row : rows_of("each", 16)) {
    if (row.name.ends_with("shared") && row.warps > 1) continue;  // sub-partitions share the way
    CAPTURE(row.name);
    CAPTURE(row.warps);
    CHECK(length(simulated(row, "h200")) ==
          doctest::Approx(length(row.measured)).epsilon(row.warps <= 4 ? 0.09 : 0.095));
  }
}
