// Loads and stores read their registers while arithmetic reads its own, and warps take turns among both:
// gpu/instructions/crossing_rows.txt, gpu/measured/h200/crossing_rows.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "measured_rows.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

template <class Chosen>
std::vector<Row> rows_that(Chosen&& chosen) {
  static const std::vector<Row> all = rows("h200", "crossing_rows");
  std::vector<Row> some;
  std::ranges::copy_if(all, std::back_inserter(some), chosen);
  REQUIRE_FALSE(some.empty());
  return some;
}

// Percent of the time from the first clock to the last.
double error(const Row& row) { return std::abs(length(simulated(row, "h200")) / length(row.measured) - 1) * 100; }

bool is_one_instruction(const Row& row) {  // k cycles behind a load or store
  return row.warps == 1 && row.name.find("x12") == std::string::npos && !row.name.starts_with("each");
}

}  // namespace

TEST_CASE("an instruction waits for the bank that a load or store reads, and no other does") {
  double moved = 0;
  for (const Row& row : rows_that(is_one_instruction)) {
    CAPTURE(row.name);
    CHECK(off(row, "h200") == 0);
    moved = std::max(moved, off(row, "h200", {"lsu.operand_cycles=7"}));
  }
  CHECK(moved >= 1);
}

TEST_CASE("arithmetic that keeps a bank busy pays for what loads read of this bank") {
  for (const Row& row : rows_that(
           [](const Row& one) { return one.name.starts_with("each") || one.name.find("x12") != std::string::npos; })) {
    // A product of two registers and a pair reads more than is known.
    if (row.name.find("wide") != std::string::npos) continue;
    CAPTURE(row.name);
    CHECK(off(row, "h200") <= 1);
  }
}

TEST_CASE("warps take turns among loads, arithmetic and 64-bit multiply-adds as on an H200") {
  double sum = 0, most = 0;
  const std::vector<Row> turns = rows_that([](const Row& row) { return row.name.starts_with("turn"); });
  for (const Row& row : turns) {
    const double percent = error(row);
    CAPTURE(row.name);
    CAPTURE(row.warps);
    if (row.warps == 4) CHECK(percent < 1);  // one to a sub-partition
    sum += percent;
    most = std::max(most, percent);
  }
  CHECK(sum / static_cast<double>(turns.size()) < 5);
  CHECK(most < 21);
}

TEST_CASE("a load behind a 64-bit multiply-add reads its registers when it comes through the dispatch port") {
  for (const Row& row : rows_that([](const Row& one) { return one.name == "turn wide 1 load 4 no clock"; })) {
    CAPTURE(row.warps);
    CHECK(error(row) < 2);
  }
}

TEST_CASE("a warp whose next load can issue at once goes on") {
  for (const Row& row : rows_that([](const Row& one) { return one.name == "turn wide 1 load 4" && one.warps == 8; }))
    CHECK(error(row) < 1);
}
