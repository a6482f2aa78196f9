// The code next to a sub-partition's warps: models/instruction_buffer.h by itself, and what it does to a launch.
#include "models/instruction_buffer.h"

#include "microbench.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::size_t kLine = InstructionCache::kPerLine;

InstructionCacheSpec four_lines() {
  InstructionCacheSpec spec;
  spec.miss_cycles = 1;
  spec.buffer_lines = 4;
  spec.buffer_cycles = 10;
  return spec;
}

}  // namespace

TEST_CASE("a jump to a line that is not there waits, one close behind such a line does not") {
  InstructionBuffer buffer(four_lines());
  CHECK(buffer.run(0, kLine) == 10);
  CHECK(buffer.run(0, kLine) == 0);
  CHECK(buffer.run(kLine, 2 * kLine) == 0);
  CHECK(buffer.run(3 * kLine, 4 * kLine) == 0);
  CHECK(buffer.run(7 * kLine + 5, 8 * kLine) == 10);
}

TEST_CASE("the last lines of a run stay") {
  InstructionBuffer buffer(four_lines());
  CHECK(buffer.run(0, 8 * kLine) == 10);
  CHECK(buffer.run(4 * kLine, 5 * kLine) == 0);
  CHECK(buffer.run(0, kLine) == 10);
}

TEST_CASE("nothing waits where all code is there") {
  InstructionCacheSpec spec = four_lines();
  spec.miss_cycles = 0;
  InstructionBuffer buffer(spec);
  CHECK(buffer.run(50 * kLine, 51 * kLine) == 0);
}

TEST_CASE("a launch waits for jumps out of what a sub-partition holds") {
  const SassScratch scratch;
  const auto kernel = sass_kernel(scratch.write(
      "jumps.yaml", "kernel: {sass: " + sass_data +
                        "code_jumps.sm_90.sass.zst, name: probe_code_jumpsILi1024ELi32ELi0E}\ngrid: [1]\nblock: "
                        "[32]\nargs: [2, 0, {f32: 0.5}, {buffer: 64KiB}, {buffer: 64}]\n"));
  const auto cycles = [&](const std::vector<std::string>& changes) {
    return run(cold_gpu("h200", changes), *kernel, Mode::timing).cycles;
  };
  const Cycle with = cycles({}), without = cycles({"instruction_cache.buffer_lines=0"});
  CHECK(with > without + 2 * 32 * 9);
  CHECK(with < without + 2 * 32 * 10 + 200);
}
