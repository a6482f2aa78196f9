// What pipes, branches and registers that are read allow, against gpu/measured/h100/issue_rates.csv and loops of one or
// two instructions put in the place of a compiled loop's FFMAs, on an H100, by a program that is not kept.
#include <fmt/format.h>

#include <array>
#include <fstream>

#include "engine_runs.h"
#include "microbench.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

double measured(const std::string& row) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/issue_rates.csv");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(row)) return std::stod(line.substr(line.find(',', row.size()) + 1));
  FAIL("no row " << row);
  return 0;
}

// Cycles of one turn of the microbenchmark's own loop.
double turn_of(int instructions, int warps, const std::vector<std::string>& changes = {}) {
  const auto of = [&](int turns) {
    const SassScratch scratch;
    const auto kernel = sass_kernel(
        scratch.write("loop.yaml", "kernel: {sass: " + sass_data + "short_loop.sm_90.sass.zst, elf: " + sass_data +
                                       "short_loop.sm_90.elf, name: \"turnILi" + std::to_string(instructions) +
                                       "E\"}\ngrid: [1]\nblock: [" + std::to_string(32 * warps) + "]\nargs: [" +
                                       std::to_string(turns) + ", {buffer: 64}, {buffer: 4KiB}]\n"));
    RunOptions options;
    options.sample = Sample::off;
    return simulate(gpu("h100", changes), *kernel, options).cycles;
  };
  return static_cast<double>(of(300) - of(100)) / (2 * 200);  // the kernel goes through its loop twice
}

// Cycles of a sub-partition for one turn of `turn`, two warps on each.
double cycles_of(const Program& turn) {
  const auto of = [&](int turns) {
    Program all;
    for (int i = 0; i < turns; ++i) all = all + turn;
    return run_timed(HandMadeKernel(1, 256, all), gpu("h100", {"sm.gpcs=[1]"})).cycles;
  };
  return static_cast<double>(of(400) - of(100)) / (300 * 2);
}

Step uniform(OpClass op, unsigned rows) {
  Step made = step(op);
  made.instruction.uniform_rows = rows & 3U;
  return made;
}

}  // namespace

TEST_CASE("short loops: a branch and what it jumps to take ten cycles") {
  for (const int instructions : {24, 32, 48, 64})
    for (const int warps : {1, 4, 8})
      check_figure(fmt::format("{} instructions, {} warps", instructions, warps),
                   measured(fmt::format("short_loop,instructions={};warps={},", instructions, warps)),
                   turn_of(instructions, warps), 2);
  CHECK(turn_of(32, 1) - turn_of(32, 1, {"instruction_cache.jump_cycles=0"}) == doctest::Approx(2));
}

// Alone, 1:1 and 1:3 with others. The figures written here are of an H100, by a program that is not kept: instructions
// in the place of FFMAs of a compiled loop, with the registers of those. The others are rows of pipe_pairs.
TEST_CASE("pipes: what goes where, and for how long") {
  const Step fma = step(OpClass::fma), imad = step(OpClass::imad), wide = step(OpClass::imad_wide),
             alu = step(OpClass::alu), half = step(OpClass::half), half_tensor = step(OpClass::half_tensor);
  const auto one_to = [](const Step& of, int count, const Step& beside) {
    return cycles_of(Program{of} + repeated(count, beside));
  };
  check_figure("IMAD and FFMA", 2.0, one_to(imad, 1, fma), 3);
  check_figure("IMAD and 3 FFMA", 4.0, one_to(imad, 3, fma), 3);
  check_figure("IMAD.WIDE", 4.0, cycles_of({wide}), 3);
  check_figure("IMAD.WIDE and FMUL", 4.0, one_to(wide, 1, fma), 3);
  check_figure("IMAD.WIDE and 3 FMUL", 6.1, one_to(wide, 3, fma), 3);
  check_figure("IMAD.WIDE and IMAD", 6.0, one_to(wide, 1, imad), 3);
  check_figure("IMAD.WIDE and 3 IMAD", 10.0, one_to(wide, 3, imad), 3);
  check_figure("IMAD.WIDE and 3 LOP3", 8.1, one_to(wide, 3, alu), 3);
  check_figure("HADD2", 2.0, cycles_of({half}), 3);
  // Here FFMAs of both warps go beside one another now and then.
  check_figure("HADD2 and FFMA", 4.0, one_to(half, 1, fma), 13);
  check_figure("HADD2 and 3 FFMA", 6.0, one_to(half, 3, fma), 9);
  check_figure("HADD2 and IMAD", 4.0, one_to(half, 1, imad), 3);
  check_figure("HADD2 and LOP3", 2.0, one_to(half, 1, alu), 3);
  check_figure("HADD2 and HFMA2.MMA", 2.1, one_to(half, 1, half_tensor), 5);
  check_figure("HFMA2.MMA", 2.0, cycles_of({half_tensor}), 3);
  check_figure("HFMA2.MMA and IMAD", 2.1, one_to(half_tensor, 1, imad), 5);
  check_figure("HFMA2.MMA and DFMA", 4.0, one_to(half_tensor, 1, step(OpClass::fp64)), 3);
  check_figure("IMAD.HI and IMAD", measured("pipe_pairs,of=high;beside=imad;beside_count=1,"), one_to(wide, 1, imad),
               3);
  check_figure("IMAD.HI", measured("pipe_pairs,of=high;beside=none;beside_count=0,"), cycles_of({wide}), 3);
}

// UIADD3 UR5, UR5, UR6 reads one row of four uniform registers, UIMAD UR6, UR7, -3, UR10 two, ULEA.HI.X three.
TEST_CASE("uniform registers are read a row a cycle; moves into them take no turn at their datapath") {
  const Step add = uniform(OpClass::uniform, 1), two_rows = uniform(OpClass::uniform, 2),
             move = step(OpClass::uniform_move), reader = uniform(OpClass::fma, 1);
  check_figure("UIADD3", 2.0, cycles_of({add}), 3);
  check_figure("ULEA.HI.X", 3.0, cycles_of({uniform(OpClass::uniform, 3)}), 3);
  check_figure("ULDC", 1.0, cycles_of({move}), 5);
  check_figure("ULDC and UIADD3", 2.1, cycles_of({move, add}), 5);
  check_figure("UIADD3 and FFMA", 2.1, cycles_of({add, reader}), 5);
  check_figure("UIADD3 and 3 FFMA", 4.1, cycles_of(Program{add} + repeated(3, reader)), 5);
  check_figure("UIMAD and FFMA", 3.05, cycles_of({two_rows, reader}), 3);
  check_figure("two UIMAD and FFMA", 5.1, cycles_of({two_rows, two_rows, reader}), 3);
  check_figure("UIMAD and 3 FFMA", 5.15, cycles_of(Program{two_rows} + repeated(3, reader)), 4);
  check_figure("UIMAD and FFMA of vector registers", 2.1, cycles_of({two_rows, step(OpClass::fma)}), 5);
}

// From the access to an addition that overwrites a register which it reads, as stall counts between the clocks of
// read_release say: an access at `issued` cycles behind the first clock, the second one cycle behind the addition.
TEST_CASE("registers that an access reads go to the SM's queue with it, one by one") {
  const auto release = [](Step access) {
    access.instruction.read_scoreboard = 0;
    const auto of = [&](int turns) {
      Program all;
      for (int i = 0; i < turns; ++i) all = all + Program{access, step(OpClass::alu).waits_for(0)};
      return run_timed(HandMadeKernel(1, 32, all), one_sm()).cycles;
    };
    return static_cast<double>(of(60) - of(20)) / 40 - 1;
  };
  const auto store_shared = [](int bytes) {
    return step(OpClass::shared_store, {strided(0, static_cast<std::uint64_t>(bytes), bytes)});
  };
  const auto store = [](int bytes) {
    return store_global(strided(1U << 30, static_cast<std::uint64_t>(bytes), bytes));
  };
  check_figure("LDS", 8, release(load_shared(strided(0, 4))), 0);
  check_figure("LDG", 10, release(load_global(strided(1U << 30, 4))), 0);
  const std::array<int, 3> bytes{4, 8, 16}, of_sts{11, 13, 17}, of_stg{13, 15, 19};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    check_figure(fmt::format("STS, {} bytes", bytes[i]), of_sts[i], release(store_shared(bytes[i])), 0);
    check_figure(fmt::format("STG, {} bytes", bytes[i]), of_stg[i], release(store(bytes[i])), 0);
  }
  // However long what stands before it takes at the data stage: two loads of 32 wavefronts in front of an LDS.
  const auto behind = [&](std::int64_t pitch) {
    Step access = load_shared(strided(0, 4));
    access.instruction.read_scoreboard = 0;
    const Program program = {load_shared(strided(0, static_cast<std::uint64_t>(pitch))).stall(4),
                             load_shared(strided(0, static_cast<std::uint64_t>(pitch))).stall(4), access,
                             step(OpClass::alu).waits_for(0), step(OpClass::nop).stall(15)};
    return run_timed(HandMadeKernel(1, 32, program), one_sm()).cycles;
  };
  CHECK(behind(128) == behind(4));
}
