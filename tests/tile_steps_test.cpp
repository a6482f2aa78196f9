// What steps of tiled products cost an SM, by what they are made of, against gpu/measured/<gpu>/turns_microbench.csv:
// the microbenchmark's own code, on one SM. Loads pass the data stage when their data come, barriers keep it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kSteps = 256, kWaves = 4, kWarpsOfSm = 64, kMostCtas = 32;  // as gpu/microbench/tile_steps.cu

struct Step {
  int global, lines, stores, words, broadcasts, barriers;
};

int ctas_of_sm(int threads) { return std::min(kMostCtas, kWarpsOfSm / (threads / 32)); }

std::string case_of(const Step& step, int threads) {
  return "tile_steps,global=" + std::to_string(step.global) + ";lines=" + std::to_string(step.lines) +
         ";stores=" + std::to_string(step.stores) + ";words=" + std::to_string(step.words) +
         ";broadcasts=" + std::to_string(step.broadcasts) + ";barriers=" + std::to_string(step.barriers) +
         ";threads=" + std::to_string(threads) + ",per_step,";
}

// Cycles of an SM for a step of a warp.
double measured(const std::string& gpu_name, const Step& step, int threads) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/turns_microbench.csv");
  const std::string row = case_of(step, threads);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(row)) return std::stod(line.substr(row.size()));
  FAIL("no row: " << row);
  return 0;
}

double predicted(const Step& step, int threads, const std::vector<std::string>& changes = {}) {
  const SassScratch scratch;
  const int ctas = ctas_of_sm(threads);
  const std::string name = "StepILi" + std::to_string(step.global) + "ELj" + std::to_string(step.lines) + "ELi" +
                           std::to_string(step.stores) + "ELi" + std::to_string(step.words) + "ELi" +
                           std::to_string(step.broadcasts) + "ELi" + std::to_string(step.barriers) + "E";
  const std::string file =
      scratch.write("step.yaml", "kernel: {sass: " + sass_data + "tile_steps.sm_90.sass.zst, elf: " + sass_data +
                                     "tile_steps.sm_90.elf, name: " + name + "}\ngrid: [" +
                                     std::to_string(kWaves * ctas) + "]\nblock: [" + std::to_string(threads) +
                                     "]\nargs: [{buffer: 2MiB}, {buffer: 1KiB}, {buffer: 1KiB}, {buffer: 64}]\n");
  std::vector<std::string> all{"sm.gpcs=[1]", "launch.first_sms=0"};
  all.insert(all.end(), changes.begin(), changes.end());
  const auto outcome = run(gpu("h200", all), *sass_kernel(file), Mode::timing);
  const int warps = threads / 32;
  return static_cast<double>(outcome.sm.active_cycles) / (kWaves * kSteps * ctas * warps);
}

}  // namespace

TEST_CASE("steps of tiled products take as long as on hardware") {
  const Step steps[] = {{0, 0, 0, 8, 2, 2}, {0, 0, 2, 8, 2, 0}, {0, 0, 2, 8, 2, 2}, {2, 1, 2, 8, 2, 0},
                        {2, 1, 2, 8, 2, 2}, {2, 4, 0, 8, 2, 0}, {2, 4, 2, 8, 2, 2}, {2, 1, 2, 24, 0, 2}};
  double sum = 0;
  int count = 0;
  for (const Step& step : steps) {
    for (const int threads : {32, 64, 256}) {
      const double here = predicted(step, threads);
      for (const char* name : {"h200", "h100"}) {
        const double there = measured(name, step, threads);
        CAPTURE(case_of(step, threads));
        CAPTURE(there);
        CHECK(here == doctest::Approx(there).epsilon(0.07));
        sum += std::abs(here / there - 1);
        ++count;
      }
    }
  }
  CHECK(sum / count < 0.03);
}

TEST_CASE("a barrier keeps the data stage beyond its wavefronts, and so does an answer of L2 beside shared memory") {
  const Step barriers{0, 0, 0, 8, 2, 2}, loads{2, 1, 2, 8, 2, 0};
  CHECK(predicted(barriers, 64) > predicted(barriers, 64, {"lsu.barrier_turn_cycles=0"}) + 1);
  CHECK(predicted(loads, 64) > predicted(loads, 64, {"lsu.answer_turn_cycles=0"}) + 0.3);
}
