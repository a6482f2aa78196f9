// When rows of loads, stores and arithmetic issue and their registers are free, as clocks among them measure it:
// gpu/instructions/rows.txt, gpu/measured/h100/rows.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "measured_rows.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// The mean of how far the clocks of a row are off, cycles: the warps of both in the order in which they end, as the
// hardware has them in any.
double error(const Row& row, const std::vector<std::string>& changes = {}) {
  Clocks model = simulated(row, "h100", changes), hardware = row.measured;
  const auto ends = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.back() != b.back() ? a.back() < b.back() : a < b;
  };
  std::sort(model.begin(), model.end(), ends);
  std::sort(hardware.begin(), hardware.end(), ends);
  double sum = 0, count = 0;
  for (std::size_t warp = 0; warp < model.size(); ++warp) {
    REQUIRE(model[warp].size() == hardware[warp].size());
    for (std::size_t i = 0; i < model[warp].size(); ++i, ++count) sum += std::abs(model[warp][i] - hardware[warp][i]);
  }
  return sum / count;
}

// Of all rows of up to `warps` warps whose names begin so: the largest of their errors.
double largest(const std::string& prefix, int warps, const std::vector<std::string>& changes = {}) {
  static const std::vector<Row> all = rows("h100", "rows");
  double most = -1;
  for (const Row& row : all) {
    if (!row.name.starts_with(prefix) || row.warps > warps) continue;
    const double of = error(row, changes);
    CAPTURE(row.name);
    CAPTURE(row.warps);
    most = std::max(most, of);
  }
  REQUIRE(most >= 0);
  return most;
}

}  // namespace

TEST_CASE("loads and stores of one warp issue one a cycle, and their registers are free when measured") {
  for (const char* row : {"LDS", "STS", "STS.64", "STS.128"})
    for (const char* count : {"1", "4", "6"}) CHECK(largest(std::string("release ") + count + " " + row, 1) == 0);
  for (const char* row : {"LDG", "STG", "STG.64", "STG.128"})
    for (const char* count : {"1", "4", "6"}) CHECK(largest(std::string("release ") + count + " " + row, 1) < 0.7);
}

// The mean of a row is less than half a wait for one register of another sub-partition, but where stores of 16 bytes
// go in turn: here the first of them goes in one piece.
TEST_CASE("sub-partitions share the way of registers to the SM's queue") {
  CHECK(largest("release 4 LDG", 4) < 1);
  CHECK(largest("release 6 STS", 4) < 5.5);
  CHECK(largest("release 4 STS.64", 4) < 1.5);
  CHECK(largest("release 4 STG.64", 4) < 3.5);
  for (const char* row : {"release 6 STS.64", "release 6 STS.128", "release 4 STG.64"})
    CHECK(largest(row, 4, {"lsu.operand_common_cycles=0"}) > largest(row, 4) + 2);
  for (const char* row : {"release 6 STS.64", "release 6 STS.128"})
    CHECK(largest(row, 1, {"lsu.operand_register_cycles=0"}) > 2);
}

TEST_CASE("a row of loads issues as far as the queues have room, whatever the other sub-partitions do") {
  for (const char* row : {"depth LDG", "depth LDG.128"}) CHECK(largest(row, 4) == 0);
  CHECK(largest("depth LDS", 2) == 0);
  CHECK(largest("depth LDS", 4) < 7);
}

// The buffer of the data of stores has a share of each sub-partition on hardware, which one that stores alone does not
// exceed: not modelled.
TEST_CASE("data of stores to shared memory have a buffer of their own") {
  CHECK(largest("depth STS.128 64", 4) < 19);
  CHECK(largest("depth STS.128 64", 4, {"lsu.data_queue_registers=1000"}) > 30);
  CHECK(largest("depth STS 32", 4) < 22.5);
}

TEST_CASE("a step of a register tile stores when measured, with one and two warps to a sub-partition") {
  CHECK(largest("step", 4) < 1.2);
  CHECK(largest("step", 8) < 4.3);
}

TEST_CASE("arithmetic waits for the bank that a load or store reads") { CHECK(largest("beside", 4) < 4.2); }
