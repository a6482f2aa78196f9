// When rows of loads, stores and arithmetic issue and their registers are free, as clocks among them measure it:
// gpu/instructions/rows.txt, gpu/measured/h100/rows.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "sim/engine/issue_listener.h"
#include "written_instructions.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

using Clocks = std::vector<std::vector<double>>;  // [warp][number], cycles from the first one of any warp

struct Row {
  std::string name;
  int warps = 0;
  std::uint64_t pitch = 0;
  std::vector<std::string> instructions;
  Clocks measured;
};

std::vector<Row> rows() {
  std::map<std::string, Clocks> measured;
  std::ifstream values(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/rows.csv");
  for (std::string line; std::getline(values, line);) {
    if (line[0] == '#' || line.starts_with("name,")) continue;
    const auto fields = parts(line, ',');
    REQUIRE_MESSAGE(fields.size() == 5, line);
    Clocks& clocks = measured[fields[0] + ", " + fields[1]];
    clocks.resize(std::stoul(fields[1]));
    clocks.at(std::stoul(fields[2])).push_back(std::stod(fields[4]));
  }
  std::vector<Row> all;
  std::ifstream written(TILESCOPE_SOURCE_DIR "/gpu/instructions/rows.txt");
  for (std::string line; std::getline(written, line);) {
    if (line[0] == '#') continue;
    const auto fields = parts(line, ';');
    REQUIRE_MESSAGE(fields.size() == 4, line);
    Row row{fields[0], std::stoi(fields[1]), std::stoul(fields[2]), parts(fields[3], ','), {}};
    row.measured = measured.at(fields[0] + ", " + fields[1]);
    all.push_back(std::move(row));
  }
  return all;
}

// Remembers when the clocks of a row's last turn issue.
class ClockListener : public IssueListener {
 public:
  ClockListener(const Kernel& kernel, const std::vector<std::size_t>& clocks, int warps)
      : code_(kernel.code().data()), clocks_(clocks), times(static_cast<std::size_t>(warps)) {}
  void issued(const Issue& issue, const WorkCounters& /*before*/, const WorkCounters& /*after*/) override {
    const auto at = static_cast<std::size_t>(&issue.instruction - code_);
    if (std::find(clocks_.begin(), clocks_.end(), at) != clocks_.end())
      times[static_cast<std::size_t>(issue.warp)].push_back(static_cast<double>(issue.when));
  }

 private:
  const Instruction* code_;
  std::vector<std::size_t> clocks_;

 public:
  Clocks times;
};

Clocks simulated(const Row& row, const std::vector<std::string>& changes = {}) {
  constexpr int kTurns = 2;  // the second finds in L1 what the first has brought
  sass::ReuseCache reuse;
  // What goes on at a barrier without its warps, a branch waits for.
  Program turn = {step(OpClass::barrier), step(OpClass::branch).stall(5)}, all;
  turn.back().instruction.detail = static_cast<std::uint16_t>(Turn::jump);
  std::vector<std::size_t> clocks;
  for (const std::string& text : row.instructions) {
    const auto star = text.find('*');
    const int times = star == std::string::npos ? 1 : std::stoi(text);
    for (int i = 0; i < times; ++i) {
      if (text.starts_with("CLOCK")) clocks.push_back(turn.size());
      turn.push_back(step_of(star == std::string::npos ? text : text.substr(star + 1), reuse, row.pitch));
    }
  }
  Step last = step(OpClass::nop).stall(11);
  last.instruction.wait_mask = 63;
  turn.push_back(last);
  for (std::size_t& clock : clocks) clock += (kTurns - 1) * turn.size();
  for (int i = 0; i < kTurns; ++i) all = all + turn;
  const HandMadeKernel kernel(1, 32 * row.warps, all);
  ClockListener listener(kernel, clocks, row.warps);
  const GpuSpec spec = gpu("h100", changes);
  TimingEngine engine(spec, kernel, 1);
  engine.tell(listener);
  engine.run();
  double begin = listener.times[0][0];
  for (const auto& warp : listener.times) begin = std::min(begin, warp[0]);
  for (auto& warp : listener.times)
    for (double& time : warp) time -= begin;
  return listener.times;
}

// The mean of how far the clocks of a row are off, cycles: the warps of both in the order in which they end, as the
// hardware has them in any.
double error(const Row& row, const std::vector<std::string>& changes = {}) {
  Clocks model = simulated(row, changes), hardware = row.measured;
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
  static const std::vector<Row> all = rows();
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
  CHECK(largest("depth STS.128 64", 4) < 18);
  CHECK(largest("depth STS.128 64", 4, {"lsu.data_queue_registers=1000"}) > 30);
  CHECK(largest("depth STS 32", 4) < 22);
}

TEST_CASE("a step of a register tile stores when measured, with one and two warps to a sub-partition") {
  CHECK(largest("step", 4) < 1.2);
  CHECK(largest("step", 8) < 4.1);
}

TEST_CASE("arithmetic waits for the bank that a load or store reads") { CHECK(largest("beside", 4) < 2.6); }
