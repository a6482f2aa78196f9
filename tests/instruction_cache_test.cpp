// Code that is cold when a launch begins: models/instruction_cache.h by itself, and what it does to a launch.
#include "models/instruction_cache.h"

#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::size_t kLine = InstructionCache::kPerLine;

// One warp runs through `count` instructions that wait for nothing.
Cycle straight_code(const GpuSpec& gpu, int count) {
  Program program;
  for (int i = 0; i < count; ++i) program.push_back(step(OpClass::nop));
  return run(gpu, HandMadeKernel(1, kLanes, program), Mode::timing).cycles;
}

}  // namespace

TEST_CASE("a line comes after a miss, the lines behind it one by one") {
  InstructionCache cache({.miss_cycles = 100, .line_cycles = 10, .lines_ahead = 2}, 100 * kLine);
  CHECK(cache.fetch(0, 50) == 150);
  CHECK(cache.fetch(kLine, 151) == 160);
  CHECK(cache.fetch(2 * kLine, 161) == 170);
  CHECK(cache.fetch(0, 200) == 200);
  CHECK(cache.fetch(50 * kLine + 3, 1000) == 1100);
  CHECK(cache.fetch(49 * kLine, 1001) == 1130);  // nobody fetches backwards; the port is taken by three lines
}

TEST_CASE("a warp asks again where a line is not there yet, and where lines behind it have to be fetched") {
  InstructionCache cache({.miss_cycles = 100, .line_cycles = 10, .lines_ahead = 2}, 100 * kLine);
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
                                    "instruction_cache.lines_ahead=15"});
  CHECK(straight_code(cold, 4) - straight_code(warm, 4) == 500);
  // 64 lines of eight instructions, one a cycle: 40 cycles each once they come.
  const auto lines = static_cast<Cycle>(64);
  const Cycle more =
      straight_code(cold, 64 * static_cast<int>(kLine)) - straight_code(warm, 64 * static_cast<int>(kLine));
  CHECK(more >= 500 + (lines - 1) * (40 - static_cast<Cycle>(kLine)));
  CHECK(more <= 500 * 5 + (lines - 1) * 40);
}

TEST_CASE("waiting for code is no_instruction") {
  const Program program{step(OpClass::nop), step(OpClass::nop)};
  const GpuSpec cold = gpu("h200", {"instruction_cache.miss_cycles=700"});
  const RunOutcome outcome = run(cold, HandMadeKernel(1, kLanes, program), Mode::timing);
  CHECK(outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::no_instruction)] == 700);
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
