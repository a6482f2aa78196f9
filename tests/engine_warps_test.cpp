// Corner cases of warps and CTAs in the timing engine: barriers, scoreboards, exits, odd sizes, launches that no SM can
// hold.
#include "engine_runs.h"
#include "hand_made_kernel.h"
#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kWarpsBuffer = 1U << 30;

HandMadeKernel::Choice by_warp() {
  return [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); };
}

}  // namespace

TEST_CASE("warps that wait at different barriers are a deadlock, and the run says so") {
  const HandMadeKernel disagreeing(
      1, 64, {{step(OpClass::barrier).at_barrier(0)}, {step(OpClass::barrier).at_barrier(1)}}, by_warp());
  CHECK_THROWS_AS(run_timed(disagreeing), DeadlockError);
  try {
    run(h200(), disagreeing, Mode::timing);
    FAIL("no deadlock");
  } catch (const DeadlockError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    CHECK(text.find("1 CTAs of 'hand_made'") != std::string::npos);
    CHECK(text.find("barrier") != std::string::npos);
  }
}

TEST_CASE("the barriers of a CTA are apart") {
  // Each pair of warps meets at its own barrier would need thread counts; here all warps go through 3, then 5, then 3.
  const Program through = {step(OpClass::barrier).at_barrier(3), step(OpClass::barrier).at_barrier(5),
                           step(OpClass::barrier).at_barrier(3)};
  CHECK(run_timed(HandMadeKernel(3, 128, through)).sm.ctas == 3);
}

TEST_CASE("a warp that exits releases the others from their barrier") {
  const HandMadeKernel early(
      4, 96, {Program{}, {step(OpClass::barrier)}, {step(OpClass::nop).stall(200), step(OpClass::barrier)}}, by_warp());
  CHECK(run_timed(early).sm.ctas == 4);
  const HandMadeKernel late(4, 64, {repeated(20, step(OpClass::nop).stall(100)), {step(OpClass::barrier)}}, by_warp());
  const Ran ran = run_timed(late);
  CHECK(ran.sm.ctas == 4);
  CHECK(ran.cycles >= 2000);  // the second warp waited for the first one's exit
}

TEST_CASE("CTAs do not share barriers") {
  // Two CTAs on one SM: one waits for its slow warp, the other passes a hundred times.
  const HandMadeKernel kernel(
      2, 64,
      {{step(OpClass::nop).stall(250), step(OpClass::barrier)},
       {step(OpClass::barrier)},
       repeated(100, step(OpClass::barrier))},
      [](std::int64_t cta, int warp) { return cta == 0 ? static_cast<std::size_t>(warp) : 2U; });
  CHECK(run_timed(kernel, one_sm()).sm.ctas == 2);
}

TEST_CASE("a warp waits for its loads before it exits, when it has named a scoreboard") {
  const Ran named = run_timed(HandMadeKernel(1, 32, {load_global(strided(kWarpsBuffer, 4)).sets(2)}));
  CHECK(named.cycles > 500);
  const Ran unnamed = run_timed(HandMadeKernel(1, 32, {load_global(strided(kWarpsBuffer, 4))}));
  CHECK(unnamed.cycles < 100);
  CHECK(named.memory.hbm.read_bytes == 128);
}

TEST_CASE("data for a warp that is gone disturbs nobody in its place") {
  // One SM; each CTA leaves a load behind and another CTA takes its place, with loads of its own on the same
  // scoreboard.
  const auto spec = gpu("h200", {"sm.gpcs=[1]", "sm.max_ctas=1"});
  std::vector<Program> programs;
  for (std::uint64_t cta = 0; cta < 8; ++cta)
    programs.push_back(cta % 2 == 0 ? Program{load_global(strided(kWarpsBuffer + cta * 4096, 4))}
                                    : Program{load_global(strided(kWarpsBuffer + cta * 4096, 4)).sets(0),
                                              step(OpClass::fma).waits_for(0)});
  const Ran ran = run_timed(
      HandMadeKernel(8, 32, programs, [](std::int64_t cta, int) { return static_cast<std::size_t>(cta); }), spec);
  CHECK(ran.sm.ctas == 8);
  for (const FinishedCta& cta : ran.timeline) CHECK((cta.end - cta.start > 500) == (cta.cta % 2 == 1));
}

TEST_CASE("CTAs of one thread, 33 threads, one warp; grids of one CTA and of many") {
  struct {
    std::int64_t ctas, threads, warps;
  } const rows[] = {{1, 1, 1}, {1, 32, 1}, {1, 33, 2}, {1, 1024, 32}, {133, 1, 1}, {5000, 33, 2}, {300, 1000, 32}};
  const Program program = {step(OpClass::special), load_shared(strided(0, 4)).sets(1), step(OpClass::fma).waits_for(1),
                           step(OpClass::barrier)};
  for (const auto& [ctas, threads, warps] : rows) {
    CAPTURE(ctas);
    CAPTURE(threads);
    const HandMadeKernel kernel(ctas, threads, program);
    for (const Mode mode : {Mode::timing, Mode::counts}) {
      const RunOutcome outcome = run(h200(), kernel, mode);
      CHECK(outcome.sm.total_instructions() == static_cast<std::uint64_t>(ctas * warps * 5));
      CHECK(outcome.sm.ctas == static_cast<std::uint64_t>(ctas));
    }
  }
}

TEST_CASE("a launch that no SM can hold says which limit it breaks, and by how much") {
  struct {
    std::string what;
    std::int64_t threads, registers, shared;
    const char* says;
  } const rows[] = {
      {"threads", 1025, 32, 0, "a CTA of 1025 threads exceeds the limit of 1024 by 1"},
      {"shared memory", 32, 32, 227 * 1024 + 16, "232464 bytes of shared memory exceed the limit of 232448 by 16"},
      {"registers of a thread", 32, 256, 0, "256 registers per thread exceed the limit of 255 by 1"},
      {"registers of a CTA", 1024, 96, 0, "need 98304 registers, 32768 more than the SM's 65536"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    HandMadeKernel kernel(1, row.threads, Program{});
    kernel.change_launch().registers_per_thread = row.registers;
    kernel.change_launch().dynamic_smem_bytes = row.shared;
    for (const Mode mode : {Mode::timing, Mode::counts}) try {
        run(h200(), kernel, mode);
        FAIL("the launch was accepted");
      } catch (const std::invalid_argument& error) {
        const std::string text = error.what();
        CAPTURE(text);
        CHECK(text.find("NVIDIA H200 SXM") != std::string::npos);
        CHECK(text.find(row.says) != std::string::npos);
      }
  }
  HandMadeKernel both(1, 2000, Program{});
  both.change_launch().dynamic_smem_bytes = 1 << 20;
  CHECK(launch_problems(h200(), cta_resources(both.launch())).size() == 2);
  HandMadeKernel most(1, 1024, Program{});
  most.change_launch().registers_per_thread = 64;
  most.change_launch().dynamic_smem_bytes = 227 * 1024;
  CHECK(run(h200(), most, Mode::timing).sm.ctas == 1);
}

TEST_CASE("small CTAs fill an SM up to its 32 places") {
  for (const std::int64_t threads : {1, 32, 64}) {
    CAPTURE(threads);
    CHECK(run(h200(), HandMadeKernel(1, threads, Program{}), Mode::timing).occupancy.ctas_per_sm == 32);
  }
}

TEST_CASE("loads that share a scoreboard are all waited for") {
  const std::uint64_t hot = kWarpsBuffer, cold = kWarpsBuffer + 65536;
  const Program warm_up = {load_global(strided(hot, 4)).sets(0), step(OpClass::nop).waits_for(0)};
  const auto cycles = [&](const Program& program) {
    return run_timed(HandMadeKernel(1, 32, warm_up + program)).cycles;
  };
  const Step hit = load_global(strided(hot, 4)).sets(1), miss = load_global(strided(cold, 4)).sets(1);
  const Step use = step(OpClass::fma).waits_for(1);
  const Cycle only_hit = cycles({hit, use}), only_miss = cycles({miss, use});
  CHECK(only_miss > only_hit + 400);
  CHECK(cycles({hit, miss, use}) >= only_miss);
  CHECK(cycles({miss, hit, use}) >= only_miss);
  CHECK(cycles({miss, load_shared(strided(0, 4)).sets(1), use}) >= only_miss);
  // Another scoreboard is not waited for.
  CHECK(cycles({load_global(strided(cold, 4)).sets(2), hit, use, step(OpClass::nop).stall(250),
                step(OpClass::nop).stall(250)}) < only_miss + 100);
}

TEST_CASE("many loads on one scoreboard, then one use") {
  Program program;
  for (std::uint64_t i = 0; i < 100; ++i) program.push_back(load_global(strided(kWarpsBuffer + i * 8192, 132)).sets(0));
  program.push_back(step(OpClass::fma).waits_for(0));
  const Ran ran = run_timed(HandMadeKernel(1, 32, program));
  CHECK(ran.sm.of(AccessKind::global_load).requests == 100);
  CHECK(ran.sm.fill_sectors == 3200);
  CHECK(ran.cycles > 3200 + 400);   // a line per cycle leaves, the last one comes back a latency later
  CHECK(ran.cycles < 3200 + 1600);  // among 3,200 some wait for a refresh, and for other rows of their bank
}

TEST_CASE("an access with every lane predicated off makes no request") {
  const Access off = strided(kWarpsBuffer, 4, 4, 0);
  const HandMadeKernel kernel(
      2, 64,
      {load_global(off).sets(0), store_global(off), step(OpClass::async_copy, {off, off}).sets(1),
       load_shared(off).sets(2), step(OpClass::shared_store, {off}),
       step(OpClass::fma).waits_for(0).waits_for(1).waits_for(2)});
  for (const Mode mode : {Mode::timing, Mode::counts}) {
    CAPTURE(static_cast<int>(mode));
    const RunOutcome outcome = run(h200(), kernel, mode);
    CHECK(outcome.sm.total_instructions() == 4 * 7);
    CHECK(outcome.sm.of(AccessKind::global_load).requests == 0);
    CHECK(outcome.sm.of(AccessKind::global_store).requests == 0);
    CHECK(outcome.sm.of(AccessKind::global_load).sectors + outcome.sm.of(AccessKind::global_store).sectors +
              outcome.sm.fill_sectors ==
          0);
    CHECK(outcome.sm.of(AccessKind::shared_load).wavefronts + outcome.sm.of(AccessKind::shared_store).wavefronts == 0);
    CHECK(outcome.memory.l2.read_sectors + outcome.memory.l2.write_sectors == 0);
    CHECK(outcome.memory.hbm.read_bytes == 0);
  }
}

TEST_CASE("an async copy reads global memory and is waited for like a load") {
  const Access from = strided(kWarpsBuffer, 16, 16), to = strided(0, 16, 16);
  const HandMadeKernel kernel(1, 32,
                              {step(OpClass::async_copy, {from, to}).bypassing_l1().sets(0),
                               step(OpClass::dependency).waits_for(0), load_shared(to).sets(1)});
  const Ran ran = run_timed(kernel);
  CHECK(ran.cycles > 500);
  CHECK(ran.sm.fill_sectors == 16);
  CHECK(ran.memory.hbm.read_bytes == 512);
  const RunOutcome counted = run(h200(), kernel, Mode::counts);
  CHECK(counted.sm.fill_sectors == 16);
  CHECK(counted.sm.of(AccessKind::global_load).requests == ran.sm.of(AccessKind::global_load).requests);
  CHECK(counted.sm.data_wavefronts == ran.sm.data_wavefronts);
  CHECK(counted.memory.l2.read_sectors == 16);
}

TEST_CASE("stores reach L2 and HBM in the end, and a read finds them in L2") {
  const HandMadeKernel kernel(
      1, 32,
      {store_global(strided(kWarpsBuffer, 4)), step(OpClass::nop).stall(250), step(OpClass::nop).stall(250),
       load_global(strided(kWarpsBuffer, 4)).bypassing_l1().sets(0), step(OpClass::fma).waits_for(0)});
  const Ran ran = run_timed(kernel);
  CHECK(ran.memory.l2.write_sectors == 4);
  CHECK(ran.memory.l2.read_sectors + ran.memory.l2.fabric_hit_sectors >= 4);
  CHECK(ran.memory.hbm.read_bytes == 0);
}

TEST_CASE("what a branch takes beyond its stall count is branch_resolving, nothing when it goes nowhere") {
  const auto cycles_of = [](Turn turn, Stall reason, std::uint8_t stall) {
    Step branch = step(turn == Turn::meets ? OpClass::convergence : OpClass::branch);
    branch.instruction.stall = stall;
    branch.instruction.detail = static_cast<std::uint16_t>(turn);
    const GpuSpec h200 =
        gpu("h200", {"pipes.branch_cycles=8", "pipes.meeting_cycles=8", "instruction_cache.miss_cycles=0"});
    const RunOutcome outcome = run(h200, HandMadeKernel(1, kLanes, repeated(10, branch)), Mode::timing);
    return outcome.sm.stall_cycles[static_cast<std::size_t>(reason)];
  };
  CHECK(cycles_of(Turn::meets, Stall::branch_resolving, 5) == 10 * 3);
  CHECK(cycles_of(Turn::meets, Stall::branch_resolving, 8) == 0);
  CHECK(cycles_of(Turn::meets, Stall::wait, 8) == cycles_of(Turn::meets, Stall::wait, 5) + 10 * 3);
  CHECK(cycles_of(Turn::jump, Stall::branch_resolving, 5) == 0);  // it goes on behind itself
  CHECK(cycles_of(Turn::jump, Stall::wait, 5) == cycles_of(Turn::meets, Stall::wait, 5));

  const auto kernel = make_kernel("gemm_naive", {{"M", "64"}, {"N", "64"}, {"K", "64"}}).value();
  const auto resolving = [&kernel](const char* branch_cycles) {
    const RunOutcome outcome =
        run(gpu("h200", {std::string("pipes.branch_cycles=") + branch_cycles}), *kernel, Mode::timing);
    return outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::branch_resolving)];
  };
  CHECK(resolving("12") > resolving("8"));
  CHECK(resolving("8") > 0);
  CHECK(resolving("1") == 0);
}
