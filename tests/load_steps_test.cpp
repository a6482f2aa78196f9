// What steps of products without shared memory cost an SM, by where their operands are, against
// gpu/measured/<gpu>/loads_microbench.csv: the microbenchmark's own code, on one SM. Loads that wait for
// L2 leave the queue when they are looked up and take turns with those that hit at the data stage.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kSteps = 512, kWarps = 8;  // of a CTA, as gpu/microbench/load_steps.cu
constexpr int kTurn = 32, kRowWords = 1024;

struct Steps {
  int width, ctas;
  bool a_l2, b_l2;
};

std::string row_of(const Steps& steps) {
  return "load_steps,loads=both;width=" + std::to_string(steps.width) + ";ctas=" + std::to_string(steps.ctas) +
         ";a=" + (steps.a_l2 ? "l2" : "l1") + ";b=" + (steps.b_l2 ? "l2" : "l1") + ",per_step,";
}

// Cycles of an SM for a step of a warp.
double measured(const std::string& gpu_name, const Steps& steps) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/loads_microbench.csv");
  const std::string row = row_of(steps);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(row)) return std::stod(line.substr(row.size()));
  FAIL("no row: " << row);
  return 0;
}

double predicted(const Steps& steps, const std::vector<std::string>& changes = {}) {
  const SassScratch scratch;
  const auto turn = [](bool l2, int words) { return std::to_string(l2 ? words : 0); };
  const std::string file = scratch.write(
      "steps.yaml", "kernel: {sass: " + sass_data + "load_steps.sm_90.sass.zst, elf: " + sass_data +
                        "load_steps.sm_90.elf, name: probe_load_stepsILi" + std::to_string(steps.width) +
                        "E}\ngrid: [" + std::to_string(steps.ctas) +
                        "]\nblock: [256]\nargs: [{buffer: 1MiB}, {buffer: 2MiB}, " + turn(steps.a_l2, kTurn) + ", " +
                        turn(steps.b_l2, kTurn * kRowWords) + ", " + std::to_string(steps.ctas) +
                        ", 0, {buffer: 64}, {buffer: 4KiB}, {buffer: 64KiB}]\n");
  // The microbenchmark's lines are in the near partition of L2, from launches before: here memory is as near.
  std::vector<std::string> all{"sm.gpcs=[1]",          "launch.first_sms=0",  "l2.partitions=1",
                               "l2.partition_bits=[]", "hbm.latency_ns=1",    "hbm.bandwidth_gbs=20000",
                               "hbm.row_cycle_ns=1",   "hbm.activate_ns=0.1", "hbm.refresh_ns=1"};
  all.insert(all.end(), changes.begin(), changes.end());
  const auto outcome = run(gpu("h200", all), *sass_kernel(file), Mode::timing);
  return static_cast<double>(outcome.sm.active_cycles) / (kSteps * kWarps * steps.ctas);
}

}  // namespace

TEST_CASE("steps of products without shared memory take as long as on hardware") {
  double sum = 0;
  int count = 0;
  for (const int width : {8, 16, 32}) {
    for (const bool a_l2 : {false, true}) {
      for (const bool b_l2 : {false, true}) {
        const Steps steps{width, 8, a_l2, b_l2};
        const double here = predicted(steps);
        for (const char* name : {"h200", "h100"}) {
          const double there = measured(name, steps);
          CAPTURE(row_of(steps));
          CAPTURE(there);
          CHECK(here == doctest::Approx(there).epsilon(0.17));
          sum += std::abs(here / there - 1);
          ++count;
        }
      }
    }
  }
  CHECK(sum / count < 0.055);
}

TEST_CASE("loads that wait for L2 cost the data stage time beside loads that hit") {
  const Steps steps{8, 8, true, true};
  CHECK(predicted(steps, {"lsu.answer_hit_turn_cycles=0.4"}) >
        predicted(steps, {"lsu.answer_hit_turn_cycles=0"}) + 0.1);
}

TEST_CASE("addresses of 64 bits come as often as on hardware, fractions of a cycle included") {
  const Steps steps{32, 8, false, false};
  CHECK(predicted(steps, {"lsu.wide_issue_cycles=4.4"}) > 1.02 * predicted(steps, {"lsu.wide_issue_cycles=4"}));
}
