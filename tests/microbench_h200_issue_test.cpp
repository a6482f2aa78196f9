// Issue, pipes, barriers and CTAs of the modelled H200 against the measured one.
#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("instruction rates of a full SM") {
  struct {
    const char* what;
    Step made;
    double measured;
  } const rows[] = {
      {"FFMA", step(OpClass::fma), 0.25},
      {"HFMA2", step(OpClass::half), 0.5},
      {"HFMA2.MMA", step(OpClass::half_tensor), 0.5},
      {"IMAD", step(OpClass::imad), 0.5},
      {"IADD3, LOP3, SHF", step(OpClass::alu), 0.5},
      {"DFMA", step(OpClass::fp64), 0.5},
      {"MUFU", step(OpClass::xu), 2.0},
      {"SHFL", step(OpClass::shuffle).stall(4), 1.0},
      {"HMMA.16816", step(OpClass::tensor).working(8), 1.51},
  };
  for (const auto& [what, made, measured] : rows) {
    check_figure(what, measured, cycles_per_access(made, 32), 5);
    check_figure(std::string(what) + ", one sub-partition", 4 * measured, cycles_per_access(made, 1), 5);
  }
}

// Measured: 4 cycles for each LDS of a warp as ptxas writes them, four apart; 2 when two warps of the sub-partition
// issue them.
TEST_CASE("a sub-partition issues to the load/store unit every other cycle, a warp as its stall counts say") {
  check_figure("LDS of one warp", 4.14, cycles_per_access(load_shared(strided(0, 4)).stall(4), 1), 5);
  check_figure("LDS of one sub-partition", 2, cycles_per_access(load_shared(strided(0, 4)), 1), 5);
}

// Measured: 16 LDG and 64 FFMA take 103.2 cycles of a sub-partition with 8 warps (dispatch_port), 16 and 23 beyond one
// for each.
TEST_CASE("loads by addresses of 64 bits beside arithmetic that reads both register banks") {
  const auto cycles = [&](BankReads even, BankReads odd) {
    Step fma = step(OpClass::fma);
    fma.instruction.register_reads = register_reads(even, odd);
    Program turn;
    for (int i = 0; i < 16; ++i) turn = turn + Program{load_global(strided(1U << 30, 4)).sets(0)} + repeated(4, fma);
    const GpuSpec spec = gpu("h200", {"sm.gpcs=[1]"});
    const auto of = [&](int turns) {
      Program all;
      for (int i = 0; i < turns; ++i) all = all + turn;
      return run_timed(HandMadeKernel(1, 1024, all), spec).cycles;
    };
    return static_cast<double>(of(6) - of(2)) / (4 * 8);
  };
  // What FFMAs read of one bank a cycle leaves the cycles in which loads issue to these; on hardware each read of a
  // load costs a cycle.
  check_figure("16 LDG and 64 FFMA", 103.2, cycles({1, 0}, {1, 0}), 25);
}

// Measured on an H100 (load_rate): with 8 warps a sub-partition hands on an LDG.32 every 4.09 to 4.20 cycles, alone or
// beside three others, and an LDS.32 and an LDG.32 in 6.48 cycles.
TEST_CASE("addresses of 64 bits take a sub-partition's way to the load/store unit for four cycles") {
  const Program loads = repeated(400, load_global(strided(1U << 30, 4)).sets(0));
  const auto cycles = [&](const std::string& change) {
    return static_cast<double>(run_timed(HandMadeKernel(1, 1024, loads), gpu("h100", {"sm.gpcs=[1]", change})).cycles) /
           (400 * 8);
  };
  CHECK(cycles("lsu.wide_issue_cycles=2") < 0.97 * cycles("lsu.wide_issue_cycles=8"));
  const GpuSpec spec = gpu("h100", {"sm.gpcs=[1]"});
  const auto of_one = [&](const Program& program) {
    const auto of = [&](int turns) {
      Program all;
      for (int i = 0; i < turns; ++i) all = all + program;
      return run_timed(HandMadeKernel(1, 1024, all), spec).cycles;
    };
    return static_cast<double>(of(300) - of(100)) / (200 * 8);
  };
  check_figure("LDG.32", 4.1, of_one({load_global(strided(1U << 30, 4)).sets(0)}), 5);
  check_figure("LDS.32 and LDG.32", 8.6,
               of_one({load_global(strided(1U << 30, 4)).sets(0), load_shared(strided(0, 4)).sets(1)}), 8);
}

// Measured on an H100, a warp on each sub-partition, in loops whose registers lie in banks as wanted: an LDS.64 of one
// address takes its own cycle beside 14 to 28 FFMAs and 2.4 to 3.0 more beside 36 to 44; an LDS.128, two passes, 0.8 to
// 1.0 more beside 18 to 28 FFMAs and 2.3 to 3.0 beside 36 to 44. LDS.32 takes its own cycle beside all of them.
TEST_CASE("a pass that fills two registers waits for a cycle without a result of arithmetic, 16 cycles at most") {
  const auto beside = [&](int bytes, std::int64_t lane_stride, int ffmas) {
    const Program program =
        Program{load_shared(strided(0, lane_stride, bytes)).sets(0)} + repeated(ffmas, step(OpClass::fma));
    const auto of = [&](int turns) {
      Program all;
      for (int i = 0; i < turns; ++i) all = all + program;
      return run_timed(HandMadeKernel(1, 128, all), gpu("h100", {"sm.gpcs=[1]"})).cycles;
    };
    return static_cast<double>(of(300) - of(100)) / 200 - ffmas - 1;
  };
  for (const int ffmas : {16, 24, 28}) {
    CHECK(beside(8, 0, ffmas) == doctest::Approx(0).epsilon(0.05));
    CHECK(beside(16, 0, ffmas) == doctest::Approx(1).epsilon(0.25));
  }
  for (const int ffmas : {36, 40, 44}) {
    CHECK(beside(8, 0, ffmas) == doctest::Approx(3).epsilon(0.2));
    CHECK(beside(16, 0, ffmas) == doctest::Approx(3).epsilon(0.2));
    CHECK(beside(4, 4, ffmas) == doctest::Approx(0).epsilon(0.05));
  }
}

// Measured on an H100 (uniform_rate), eight warps of each sub-partition; four cycles of an iteration are the loop's.
// Its multiply-adds read two rows of uniform registers each.
TEST_CASE("the uniform datapath takes an instruction every two cycles, and others read its registers in between") {
  Step with_operand = step(OpClass::fma), two_rows = step(OpClass::uniform);
  with_operand.instruction.uniform_rows = 1;
  two_rows.instruction.uniform_rows = 2;
  const auto cycles = [&](int uniform, const Step& beside, int others) {
    Program turn;
    for (int i = 0; i < 16; ++i) {
      if (i < uniform) turn = turn + Program{two_rows};
      turn = turn + repeated(others / 16 + (i < others % 16 ? 1 : 0), beside);
    }
    const auto of = [&](int turns) {
      Program all;
      for (int i = 0; i < turns; ++i) all = all + turn;
      return run_timed(HandMadeKernel(1, 1024, all), one_sm()).cycles;
    };
    return static_cast<double>(of(24) - of(8)) / (16 * 8);
  };
  check_figure("16 uniform instructions", 32.5, cycles(16, step(OpClass::fma), 0), 3);
  check_figure("16, and 16 FFMA", 36 - 4, cycles(16, step(OpClass::fma), 16), 3);
  check_figure("16, and 32 FFMA", 53 - 4, cycles(16, step(OpClass::fma), 32), 3);
  check_figure("16, and 8 FFMA that read a uniform register", 40.1, cycles(16, with_operand, 8), 3);
  check_figure("16, and 16 such", 47.0, cycles(16, with_operand, 16), 3);
  check_figure("16, and 32 such", 64.1, cycles(16, with_operand, 32), 3);
  check_figure("32 such alone", 36 - 4, cycles(0, with_operand, 32), 3);
}

TEST_CASE("latencies that scoreboards wait for") {
  check_figure("MUFU.EX2", 17, latency(step(OpClass::xu)), 0);
  check_figure("SHFL", 24, latency(step(OpClass::shuffle)), 0);
  check_figure("S2R", 23, latency(step(OpClass::special)), 0);
  check_figure("DFMA", 8, latency(step(OpClass::fp64)), 0);
  check_figure("HMMA.16816.F32", 24, latency(step(OpClass::tensor).working(8)), 0);
}

// Measured (behind), less 8 to 10 cycles of the two clock reads: beside warps of another sub-partition that load with
// 32-way conflicts, S2R of SR_TID 202 cycles, SHFL 207, LDS 189, alone 24, 31 and 24; MUFU 18, alone 18.
TEST_CASE("S2R of what lanes have each waits behind conflicting loads like SHFL and LDS; special functions do not") {
  const auto of_one = [](const Step& what, bool beside) {
    const Program asks = repeated(64, Step(what).sets(0).waits_for(0));
    const Program loads = repeated(beside ? 2000 : 1, load_shared(strided(0, 128)));
    const HandMadeKernel kernel(1, 5 * kLanes, {asks, loads, Program{}}, [](std::int64_t, int warp) {
      return warp == 4 ? 0U : warp == 1 ? 1U : 2U;
    });
    const Ran ran = run_timed(kernel, one_sm());
    return static_cast<double>(ran.sm.stall_cycles[static_cast<std::size_t>(Stall::short_scoreboard)]) / 64;
  };
  for (const OpClass op : {OpClass::special, OpClass::shuffle}) {
    CAPTURE(name(op));
    CHECK(of_one(step(op), false) < 30);
    CHECK(of_one(step(op), true) > 100);
  }
  CHECK(of_one(step(OpClass::xu), true) < 30);
  CHECK(of_one(step(OpClass::warp_special), true) < 30);
}

TEST_CASE("barriers back to back take 12 cycles and 2 for each warp") {
  struct {
    int warps;
    double measured;
  } const rows[] = {{1, 13.9}, {2, 15.9}, {4, 19.8}, {8, 27.7}, {16, 43.6}, {32, 75.0}};
  for (const auto& [warps, measured] : rows)
    check_figure("BAR.SYNC, " + std::to_string(warps) + " warps", measured,
                 cycles_per_step(step(OpClass::barrier), warps), 5);
}

// Measured: with streams of LDS, CTA k starts to progress when CTA k-1 has ended; ends 132k, 263k, 394k, 526k, ...
// cycles.
TEST_CASE("the older CTA goes first, whatever the pipe") {
  for (const Step& what : {load_shared(strided(0, 4)), step(OpClass::fma), step(OpClass::imad)}) {
    CAPTURE(name(what.instruction.op));
    HandMadeKernel kernel(6, 1024, repeated(1000, what));
    const auto timeline = run_timed(kernel, one_sm()).timeline;
    REQUIRE(timeline.size() == 6);
    const auto first = static_cast<double>(timeline[0].end);
    for (std::size_t i = 0; i < timeline.size(); ++i) {
      CHECK(timeline[i].cta == static_cast<std::int64_t>(i));
      CHECK(static_cast<double>(timeline[i].end) == doctest::Approx(first * static_cast<double>(i + 1)).epsilon(0.02));
    }
  }
}

TEST_CASE("within a CTA the warps of a sub-partition go forward evenly") {
  // Eight warps want one sub-partition's way to shared memory; measured: the first ends at 95 % of the last one's time.
  const Program work = repeated(500, load_shared(strided(0, 8)));
  const HandMadeKernel longer(1, 1024, {work + repeated(50, load_shared(strided(0, 8))), work},
                              [](std::int64_t, int warp) { return warp < 4 ? 0U : 1U; });
  const HandMadeKernel equal(1, 1024, work);
  const double ratio =
      static_cast<double>(run_timed(longer, one_sm()).cycles) / static_cast<double>(run_timed(equal, one_sm()).cycles);
  CHECK(ratio < 1.1);  // warp 0 was not left behind: its 50 further loads find the stage nearly empty
}

TEST_CASE("an empty kernel's cycles grow with its CTAs") {
  constexpr std::int64_t kCtas[] = {1, 132, 264, 1056, 4096, 16384};
  struct {
    std::int64_t threads;
    double measured[6];
  } const rows[] = {
      {32, {2980, 3275, 3387, 4331, 7999, 22563}},
      {256, {2958, 3278, 3350, 4351, 7899, 22557}},
      {1024, {3033, 3298, 3414, 4557, 8794, 25207}},
  };
  for (const auto& row : rows)
    for (std::size_t i = 0; i < std::size(kCtas); ++i) {
      const RunOutcome outcome = run(h200(), HandMadeKernel(kCtas[i], row.threads, Program{}), Mode::timing);
      check_figure(std::to_string(kCtas[i]) + " CTAs of " + std::to_string(row.threads), row.measured[i],
                   static_cast<double>(outcome.cycles), 12);
    }
}
