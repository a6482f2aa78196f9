// Code that is cold when a launch begins: models/instruction_cache.h by itself, what it does to a launch, and the
// microbenchmarks' own code against gpu/measured/h200/code_jumps_counted.csv and h100/code_warps_counted.csv.
#include "models/instruction_cache.h"

#include <fstream>
#include <numeric>
#include <string>

#include "microbench.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::size_t kLine = InstructionCache::kPerLine;

InstructionCacheSpec small_spec() {
  InstructionCacheSpec spec;
  spec.miss_cycles = 100;
  spec.line_cycles = 10;
  spec.lines_per_fetch = 3;
  spec.launch_kib = 8;  // 64 lines
  spec.memory_cycles = 700;
  return spec;
}

// One warp runs through `count` instructions that wait for nothing.
Cycle straight_code(const GpuSpec& gpu, int count) {
  Program program;
  for (int i = 0; i < count; ++i) program.push_back(step(OpClass::nop));
  return run(gpu, HandMadeKernel(1, kLanes, program), Mode::timing).cycles;
}

struct Blocks {  // of gpu/microbench/code_jumps.cu
  std::string kernel, name;
  int count, ctas;
};

// Cycles of all blocks, where the code is new.
double measured(const Blocks& blocks) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/code_jumps_counted.csv");
  const std::string row = "code_jumps," + blocks.name + ";ctas=" + std::to_string(blocks.ctas) + ";turn=0;block=";
  double sum = 0;
  int found = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(row)) continue;
    sum += std::stod(line.substr(line.find(",cycles,") + 8));
    ++found;
  }
  REQUIRE(found == blocks.count);
  return sum;
}

double predicted(const Blocks& blocks, const std::vector<std::string>& changes = {}) {
  const SassScratch scratch;
  const auto kernel = sass_kernel(scratch.write("jumps.yaml", "kernel: {sass: " + sass_data +
                                                                  "code_jumps.sm_90.sass.zst, name: " + blocks.kernel +
                                                                  "}\ngrid: [1]\nblock: [32]\nargs: [1, 0, {f32: "
                                                                  "0.5}, {buffer: 64KiB}, {buffer: 64}]\n"));
  RunOptions options;
  options.sample = Sample::off;
  options.by_instruction = true;
  const RunOutcome outcome = simulate(cold_gpu("h200", changes), *kernel, options);
  double sum = 0;
  int looks = 0;
  for (std::size_t i = 0; i < kernel->code().size(); ++i) {
    const auto& stalls = outcome.instructions[i].stall_cycles;
    if (looks > 0 && looks <= blocks.count)
      sum += static_cast<double>(std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0}));
    if (kernel->source_of(i).text.find("SR_CLOCKLO") != std::string::npos) ++looks;
  }
  REQUIRE(looks == blocks.count + 1);
  return sum;
}

// Warps of so many roles, one of each: cycles of a warp's blocks where its code is new, mean of the warps.
struct Roles {
  int count, ctas;
};

double measured(const Roles& roles) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/code_warps_counted.csv");
  const std::string number = std::to_string(roles.count);
  const std::string row =
      "code_warps,roles=" + number + ";warps=" + number + ";ctas=" + std::to_string(roles.ctas) + ";turn=0;block=";
  double sum = 0;
  int found = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(row)) continue;
    sum += std::stod(line.substr(line.find(",cycles,") + 8));
    ++found;
  }
  REQUIRE(found == 12);
  return sum;
}

double predicted(const Roles& roles, const std::vector<std::string>& changes = {}) {
  constexpr int kBlocks = 12;
  const SassScratch scratch;
  const std::string number = std::to_string(roles.count);
  const auto kernel = sass_kernel(scratch.write(
      "warps.yaml", "kernel: {sass: " + sass_data + "code_warps/roles_" + number + ".sass.zst}\ngrid: [" +
                        std::to_string(roles.ctas) + "]\nblock: [" + std::to_string(kLanes * roles.count) +
                        "]\nargs: [1, {f32: 0.5}, {buffer: 256KiB}, {buffer: 64}]\n"));
  RunOptions options;
  options.sample = Sample::off;
  options.by_instruction = true;
  const RunOutcome outcome = simulate(cold_gpu("h100", changes), *kernel, options);
  double sum = 0;
  int looks = 0;
  for (std::size_t i = 0; i < kernel->code().size(); ++i) {
    const auto& stalls = outcome.instructions[i].stall_cycles;
    if (looks % (kBlocks + 1) != 0)
      sum += static_cast<double>(std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0}));
    if (kernel->source_of(i).text.find("SR_CLOCKLO") != std::string::npos) ++looks;
  }
  REQUIRE(looks == roles.count * (kBlocks + 1));
  return sum / (roles.count * roles.ctas);
}

}  // namespace

TEST_CASE("a line comes after a trip, the lines of its fetch one by one, the next fetch when it is back") {
  InstructionCache cache(small_spec(), 200 * kLine);
  CHECK(cache.fetch(0, 50) == 150);
  CHECK(cache.fetch(kLine, 151) == 160);
  CHECK(cache.fetch(2 * kLine, 161) == 170);
  CHECK(cache.fetch(3 * kLine, 171) == 270);
  CHECK(cache.fetch(0, 400) == 400);
}

TEST_CASE("a jump ahead of what is on its way has a fetch of its own") {
  InstructionCache cache(small_spec(), 200 * kLine);
  cache.fetch(0, 0);
  CHECK(cache.fetch(20 * kLine + 3, 10) == 110);
  CHECK(cache.fetch(kLine, 60) == 110);  // on its way, and no sooner by another
}

TEST_CASE("code behind what the launch brings comes from device memory") {
  InstructionCache cache(small_spec(), 200 * kLine);
  CHECK(cache.fetch(63 * kLine, 1000) == 1100);
  CHECK(cache.fetch(64 * kLine, 2000) == 2000);  // it followed the line before
  CHECK(cache.fetch(100 * kLine, 3000) == 3700);
}

TEST_CASE("an SM waits for its turn among those that the GPC's cache sends code, and for no other reason") {
  InstructionCacheSpec spec = small_spec();
  spec.gpc_line_cycles = 2;
  // Each SM a fetch of three lines in 96 cycles: two fetches asked for at once come so far apart, and one that is asked
  // for when the turn has gone by comes as it would alone.
  InstructionCache cache(spec, 200 * kLine, 16);
  CHECK(cache.fetch(0, 0) == 100);
  CHECK(cache.fetch(40 * kLine, 0) >= 100 + 90);
  CHECK(cache.fetch(50 * kLine, 1000) == 1100);
  InstructionCache alone(spec, 200 * kLine, 1);
  CHECK(alone.fetch(0, 0) == 100);
  CHECK(alone.fetch(40 * kLine, 0) <= 106);
}

TEST_CASE("a launch brings its code line by line, from when its SM begins") {
  InstructionCacheSpec spec = small_spec();
  spec.first_cycles = 40;
  spec.launch_line_cycles = 5;
  InstructionCache cache(spec, 200 * kLine);
  CHECK(cache.fetch(0, 0) == 140);
  CHECK(cache.fetch(50 * kLine, 150) == 40 + 250 + 100);
  InstructionCache later(spec, 200 * kLine);
  CHECK(later.fetch(0, 64) == 64 + 140);
}

TEST_CASE("a warp asks again where a line is not there yet, and where the next fetch has to be sent") {
  InstructionCache cache(small_spec(), 100 * kLine);
  cache.fetch(0, 0);
  CHECK(cache.settled(0, 1000, 100) == kLine);
  CHECK(cache.settled(3, 1000, 100) == kLine - 3);
  CHECK(cache.settled(3, 2, 100) == 2);
  cache.fetch(kLine, 110);
  cache.fetch(2 * kLine, 120);
  CHECK(cache.settled(0, 1000, 500) == 3 * kLine);
}

TEST_CASE("without a miss time all code is there") {
  InstructionCache cache({}, 100 * kLine);
  CHECK(cache.fetch(7 * kLine, 12) == 12);
  CHECK(cache.settled(1, 700, 12) == 700);
}

TEST_CASE("straight code waits for one trip, then for the rate of lines") {
  const GpuSpec warm = gpu("h200", {"instruction_cache.miss_cycles=0"});
  const GpuSpec cold = gpu("h200", {"instruction_cache.miss_cycles=500", "instruction_cache.line_cycles=40",
                                    "instruction_cache.lines_per_fetch=16", "instruction_cache.first_cycles=0",
                                    "instruction_cache.launch_line_cycles=0", "instruction_cache.buffer_lines=0"});
  CHECK(straight_code(cold, 4) - straight_code(warm, 4) == 500);
  // 64 lines of eight instructions, one a cycle: 40 cycles each once they come, and a trip for each 16.
  const auto lines = static_cast<Cycle>(64);
  const Cycle more =
      straight_code(cold, 64 * static_cast<int>(kLine)) - straight_code(warm, 64 * static_cast<int>(kLine));
  CHECK(more >= 500 + (lines - 1) * (40 - static_cast<Cycle>(kLine)));
  CHECK(more <= 500 * 5 + (lines - 1) * 40);
}

TEST_CASE("waiting for code is no_instruction") {
  const Program program{step(OpClass::nop), step(OpClass::nop)};
  const GpuSpec cold = gpu("h200", {"instruction_cache.miss_cycles=700", "instruction_cache.first_cycles=50",
                                    "instruction_cache.buffer_lines=0"});
  const RunOutcome outcome = run(cold, HandMadeKernel(1, kLanes, program), Mode::timing);
  CHECK(outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::no_instruction)] == 750);
}

TEST_CASE("jumps and straight code that an SM has not run before take as long as on hardware") {
  const std::vector<Blocks> all{{"probe_code_jumpsILi1024ELi32ELi0E", "over=1024;blocks=32;behind=0", 32, 132},
                                {"probe_code_jumpsILi256ELi24ELi0E", "over=256;blocks=24;behind=0", 24, 132},
                                {"probe_code_jumpsILi512ELi24ELi96E", "over=512;blocks=24;behind=96", 24, 1},
                                {"probe_code_straightILi4ELi32ELi0E", "over=0;ipc=1;behind=0", 32, 132}};
  for (const Blocks& blocks : all) {
    CAPTURE(blocks.name);
    CHECK(predicted(blocks) == doctest::Approx(measured(blocks)).epsilon(0.16));
  }
  const Blocks &near = all[0], &far = all[2], &straight = all[3];
  CHECK(predicted(near, {"instruction_cache.launch_kib=0"}) > 4 * measured(near));
  CHECK(predicted(far, {"instruction_cache.launch_kib=256"}) < 0.4 * measured(far));
  CHECK(predicted(straight, {"instruction_cache.line_cycles=24"}) > 1.3 * measured(straight));
  CHECK(predicted(straight, {"instruction_cache.lines_per_fetch=1"}) > 2 * measured(straight));
}

TEST_CASE("warps in code of their own wait for one another's as on hardware") {
  for (const Roles roles : {Roles{1, 1}, {1, 132}, {2, 1}, {2, 132}, {4, 132}}) {
    CAPTURE(roles.count);
    CAPTURE(roles.ctas);
    CHECK(predicted(roles) == doctest::Approx(measured(roles)).epsilon(0.16));
  }
  // Without turns four roles take as long as one.
  CHECK(predicted({4, 132}, {"instruction_cache.gpc_line_cycles=0"}) < 0.4 * measured(Roles{4, 132}));
}

TEST_CASE("a CTA stays until what it has stored has left its SM") {
  // Four stores of 32 sectors each, a cycle a sector: the warp exits long before the last has left.
  Program program;
  for (int i = 0; i < 4; ++i) program.push_back(step(OpClass::global_store, {strided((1U << 30) + i * 4096U, 32)}));
  const RunOutcome outcome = run(h200(), HandMadeKernel(1, kLanes, program), Mode::timing);
  CHECK(outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::drain)] > 100);
  CHECK(outcome.sm.active_cycles == outcome.sm.warp_cycles);
  const GpuSpec wide = gpu("h200", {"crossbar.write_sector_cycles=2"});
  CHECK(run(wide, HandMadeKernel(1, kLanes, program), Mode::timing).sm.active_cycles > outcome.sm.active_cycles + 100);
}
