// Loops of instructions that no compiler puts side by side, as gpu/instructions measures them: the sequences there,
// with their registers, reuse flags, stall counts and scoreboards, against gpu/measured/h100/instruction_loops.csv.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "microbench.h"
#include "written_instructions.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kSlots = 64;
constexpr int kFirstTurns = 8, kTurns = 40;

struct Loop {
  std::string name;
  int warps = 0;
  std::vector<std::string> instructions;
  double measured = 0;  // cycles of a turn
};

std::vector<Loop> loops() {
  std::map<std::string, double> measured;
  std::ifstream values(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/instruction_loops.csv");
  for (std::string line; std::getline(values, line);) {
    const auto at = line.rfind(',');
    if (line[0] != '#' && line != "name,warps,cycles") measured[line.substr(0, at)] = std::stod(line.substr(at + 1));
  }
  std::vector<Loop> all;
  std::ifstream sequences(TILESCOPE_SOURCE_DIR "/gpu/instructions/sequences.txt");
  for (std::string line; std::getline(sequences, line);) {
    if (line[0] == '#') continue;
    const auto fields = parts(line, ';');
    REQUIRE_MESSAGE(fields.size() == 3, line);
    const auto found = measured.find(fields[0] + "," + fields[1]);
    REQUIRE_MESSAGE(found != measured.end(), line);
    all.push_back({fields[0], std::stoi(fields[1]), parts(fields[2], ','), found->second});
  }
  return all;
}

std::vector<std::string> with_one_sm(std::vector<std::string> changes) {
  for (const char* one : {"sm.gpcs=[1]", "clock.tensor_pct=100", "clock.tensor_step_pct=100"})
    changes.emplace_back(one);
  return changes;
}

double simulated(const Loop& loop, const std::vector<std::string>& changes = {}) {
  sass::ReuseCache reuse;
  Program turn;
  for (int warm = 0; warm < 2; ++warm) {
    // What counts the turns, and the branch.
    turn = {step(OpClass::uniform).stall(11), step(OpClass::uniform).stall(11)};
    for (int slot = 0; slot < kSlots; ++slot)
      turn.push_back(step_of(loop.instructions[static_cast<std::size_t>(slot) % loop.instructions.size()], reuse));
    turn.push_back(step(OpClass::nop).stall(10));
  }
  const auto cycles = [&](int turns) {
    Program all;
    for (int i = 0; i < turns; ++i) all = all + turn;
    return run_timed(HandMadeKernel(1, 32 * loop.warps, all), gpu("h100", with_one_sm(changes))).cycles;
  };
  return static_cast<double>(cycles(kTurns) - cycles(kFirstTurns)) / (kTurns - kFirstTurns);
}

// Largest and mean error in % of the loops whose names begin with `prefix`.
struct Errors {
  double mean = 0;
  double largest = 0;
};
Errors errors(const std::string& prefix, const std::string& without = "none such") {
  Errors of;
  int count = 0;
  for (const Loop& loop : loops()) {
    if (!loop.name.starts_with(prefix) || loop.name.find(without) != std::string::npos) continue;
    const double error = 100 * std::abs(simulated(loop) / loop.measured - 1);
    INFO(loop.name << ", " << loop.warps << " warps: " << error << " %");
    of.mean += error;
    of.largest = std::max(of.largest, error);
    ++count;
  }
  REQUIRE(count > 0);
  of.mean /= count;
  return of;
}

const Loop& loop_of(const std::string& name, int warps) {
  static const std::vector<Loop> all = loops();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Loop& one) { return one.name == name && one.warps == warps; });
  REQUIRE_MESSAGE(found != all.end(), name);
  return *found;
}

}  // namespace

TEST_CASE("register reads: FFMAs of compiled GEMMs and of outer products") {
  CHECK(errors("code").largest < 3.5);
  CHECK(errors("code").mean < 1);
  CHECK(errors("outer").largest < 0.5);
}

TEST_CASE("register reads: what the reuse cache holds") {
  CHECK(errors("held").largest < 2);
  CHECK(errors("reuse first").largest < 0.5);
  CHECK(errors("reuse second").largest < 2);
  // What the instruction before reads last is not there yet: three reads and one cycle.
  CHECK(simulated(loop_of("held three reuse", 4)) > 150);
}

// Not modelled: which of three positions an operand has, and that RZ takes one, costs up to two cycles in a row of
// four.
TEST_CASE("register reads: patterns of even and odd registers, random ones") {
  CHECK(errors("banks").mean < 2);
  CHECK(errors("random").mean < 3.5);
  CHECK(errors("reuse of").mean < 4);
}

TEST_CASE("products of a warp read both banks for six cycles") {
  CHECK(errors("HMMA.16816.F32 alone").largest < 1);
  for (const char* beside : {"FFMA", "FADD", "LOP3", "MUFU"})
    for (const int count : {7, 15, 31}) {
      const Loop& loop = loop_of(fmt::format("HMMA.16816.F32 and {} {}", count, beside), 8);
      check_figure(loop.name, loop.measured, simulated(loop), 8);
    }
  const Loop& loop = loop_of("HMMA.16816.F32 and 15 FFMA", 8);
  CHECK(simulated(loop, {"pipes.tensor_operand_cycles=0"}) < 0.9 * simulated(loop));
}

TEST_CASE("a warp that yields issues again two cycles later") {
  CHECK(errors("yield").largest < 6);
  CHECK(errors("stall").largest < 6);
  check_figure("yield all", loop_of("yield all", 4).measured, simulated(loop_of("yield all", 4)), 0.5);
}

TEST_CASE("loads of shared memory and what waits for them, beside FFMAs") {
  for (const char* load : {"LDS.64 -", "LDS.128 -"}) CHECK(errors(load, "results none").mean < 1.5);
}

TEST_CASE("two kinds of arithmetic beside one another") {
  for (const char* kind : {"FFMA and", "FMUL and", "LOP3 and", "DFMA and"}) CHECK(errors(kind, "IMAD.WIDE").mean < 4);
}
