// Tensor cores in the timing engine: rates, what wgmma reads, and who waits for its groups. The measured figures are
// those of gpu/measured/h100/async_microbench.csv.
#include "engine_runs.h"
#include "microbench.h"
#include "sim/results/metrics.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// A product of a warpgroup, m64nNk16, by each of its warps.
Step group_product(int n, bool a_in_registers, bool last) {
  Step made = step(OpClass::group_tensor);
  made.instruction.work = static_cast<std::uint16_t>(64 * n * 16 / 4 / 256);
  made.instruction.detail = static_cast<std::uint16_t>(static_cast<unsigned>(n + (a_in_registers ? 0 : 64)) |
                                                       (a_in_registers ? Instruction::kInRegisters : 0U) |
                                                       (last ? Instruction::kClosesGroup : 0U));
  return made;
}
Step group_wait(int left) {
  Step made = step(OpClass::group_wait);
  made.instruction.detail = static_cast<std::uint16_t>(left + 1);
  return made;
}
// Cycles of the SM's own clock, which the work itself slows down otherwise; warps begin together, as behind a barrier.
std::vector<std::string> steady_sm(std::vector<std::string> changes = {}) {
  for (const char* change :
       {"sm.gpcs=[1]", "clock.tensor_pct=100", "clock.tensor_step_pct=100", "launch.warp_interval_cycles=0"})
    changes.emplace_back(change);
  return changes;
}
Cycle warpgroup_cycles(const Program& program, const std::vector<std::string>& changes = {}) {
  const std::vector<std::string> all = steady_sm(changes);
  return run_timed(HandMadeKernel(1, 4 * kLanes, program), gpu("h100", all)).timeline.at(0).end;
}
// Cycles from one product to the next while nobody waits for a group.
double product_cycles(int n, bool a_in_registers, const std::vector<std::string>& changes = {}) {
  const auto of = [&](int count) {
    Program program;
    for (int i = 0; i < count; ++i) program.push_back(group_product(n, a_in_registers, i + 1 == count));
    program.push_back(group_wait(0));
    program.push_back(step(OpClass::nop));
    return warpgroup_cycles(program, changes);
  };
  return static_cast<double>(of(96) - of(32)) / 64;
}
double warp_product_cycles(int work, int detail) {
  Step made = step(OpClass::tensor);
  made.instruction.work = static_cast<std::uint16_t>(work);
  made.instruction.detail = static_cast<std::uint16_t>(detail);
  const auto of = [&](int count) { return warpgroup_cycles(repeated(count, made)); };
  return static_cast<double>(of(96) - of(32)) / 64;
}

}  // namespace

TEST_CASE("a product of a warpgroup takes its multiply-adds, or what it reads") {
  const struct {
    int n;
    bool a_in_registers;
    double measured;
  } rows[] = {{8, false, 18.1},   {16, false, 20.1},   {32, false, 24.1}, {64, false, 32.2},
              {128, false, 64.3}, {256, false, 128.5}, {8, true, 13.1},   {16, true, 13.1},
              {32, true, 16.1},   {64, true, 32.2},    {128, true, 64.3}, {256, true, 128.5}};
  for (const auto& row : rows) {
    CAPTURE(row.n);
    CAPTURE(row.a_in_registers);
    CHECK(product_cycles(row.n, row.a_in_registers) == doctest::Approx(row.measured).epsilon(0.02));
  }
  CHECK(product_cycles(8, true, {"pipes.group_tensor_register_cycles=1"}) < 8);
  CHECK(product_cycles(128, false, {"pipes.group_tensor_fma_per_cycle=256"}) == doctest::Approx(128).epsilon(0.02));
}

TEST_CASE("what products of warpgroups read is counted, timed or not: four rows of 32 bytes in a wavefront") {
  const struct {
    int n;
    bool a_in_registers;
    std::uint64_t wavefronts;
  } rows[] = {{8, false, 18}, {128, false, 48}, {128, true, 32}};
  for (const Mode mode : {Mode::timing, Mode::counts}) {
    for (const auto& row : rows) {
      CAPTURE(row.n);
      const Program program = {group_product(row.n, row.a_in_registers, true), group_wait(0), step(OpClass::nop)};
      const RunOutcome outcome = run(gpu("h100", steady_sm()), HandMadeKernel(2, 8 * kLanes, program), mode);
      CHECK(outcome.sm.operand_wavefronts() == 4 * row.wavefronts);  // four warpgroups
    }
  }
}

TEST_CASE("a product of a warp takes its bits along K") {
  CHECK(warp_product_cycles(8, 0) == doctest::Approx(6.05).epsilon(0.02));  // m16n8k16 FP16, m16n8k8 TF32
  CHECK(warp_product_cycles(4, 0) == doctest::Approx(4.1).epsilon(0.03));   // m16n8k8 FP16, m16n8k16 INT8
  CHECK(warp_product_cycles(4, 1) == doctest::Approx(16.1).epsilon(0.02));  // m8n8k4 FP64
}

TEST_CASE("a group of products is waited for, and products that nobody waits for hold nobody up") {
  const auto group = [](int products, bool waits) {
    Program program;
    for (int i = 0; i < products; ++i) program.push_back(group_product(64, false, i + 1 == products));
    if (waits) program.push_back(group_wait(0));
    program.push_back(step(OpClass::nop));
    return program;
  };
  const Cycle bare = warpgroup_cycles({step(OpClass::nop)});
  for (const auto& row : {std::pair{1, 105}, {2, 133}, {4, 192}, {8, 320}}) {
    const int products = row.first, measured = row.second;
    CAPTURE(products);
    const Cycle waited = warpgroup_cycles(group(products, true)) - bare;
    CHECK(static_cast<double>(waited) == doctest::Approx(measured).epsilon(0.1));
    CHECK(warpgroup_cycles(group(products, false)) - bare < 20);
    CHECK(warpgroup_cycles(group(products, true), {"pipes.group_tensor_latency_cycles=564"}) - bare == waited + 500);
  }
}

TEST_CASE("a wait that leaves one group waits for the one before") {
  Program program;
  for (int i = 0; i < 2; ++i) program.push_back(group_product(256, false, true));
  Program both = program, one = program;
  both.push_back(group_wait(0));
  one.push_back(group_wait(1));
  for (Program* waits : {&both, &one}) waits->push_back(step(OpClass::nop));
  CHECK(warpgroup_cycles(both) - warpgroup_cycles(one) == 128);
  const RunOutcome outcome = run(gpu("h100", steady_sm()), HandMadeKernel(1, 4 * kLanes, both), Mode::timing);
  CHECK(outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::gmma)] > 4 * 200);
}

TEST_CASE("loads from shared memory get what products leave of the data stage") {
  // n = 128 reads 48 wavefronts in 64 cycles: a quarter is left.
  Program products, loads;
  for (int i = 0; i < 64; ++i) {
    products.push_back(group_product(128, false, i == 63));
    for (int l = 0; l < 8; ++l) loads.push_back(step(OpClass::shared_load, {strided(0, 4, 4)}));
  }
  Program all = products;
  all.insert(all.end(), loads.begin(), loads.end());
  const Cycle together = warpgroup_cycles(all), alone = warpgroup_cycles(loads);
  CHECK(together > alone + 1000);
}

TEST_CASE("products of warps that do not issue them in step take no longer") {
  // Two warpgroups, each with one group under way and one behind it. Loads with conflicts, which the data stage serves
  // warp by warp, let the warps go one after the other.
  constexpr int kGroups = 64, kProducts = 4;
  for (const int conflicts : {1, 2, 4, 8, 16, 32}) {
    CAPTURE(conflicts);
    Program program = {load_shared(strided(0, 4 * conflicts, 4)).sets(0)};
    for (int i = 0; i < kGroups; ++i) {
      for (int p = 0; p < kProducts; ++p) program.push_back(group_product(128, false, p + 1 == kProducts).waits_for(0));
      program.push_back(group_wait(1));
    }
    program.push_back(step(OpClass::nop));
    const Cycle cycles = run_timed(HandMadeKernel(1, 8 * kLanes, program), gpu("h100", steady_sm())).timeline.at(0).end;
    CHECK(static_cast<double>(cycles) == doctest::Approx(2 * kGroups * kProducts * 64).epsilon(0.05));
  }
}

TEST_CASE("while tensor cores work their GPC's clock is lower, and what does not depend on it takes fewer cycles") {
  const Program products = repeated(512, step(OpClass::tensor));
  Program loads, both;
  both.push_back(step(OpClass::tensor));
  for (int i = 0; i < 16; ++i) {  // one after the other, from device memory
    const Step load = load_global(strided(4096 * 128 * i, 128, 4)).sets(0).waits_for(0);
    loads.push_back(load);
    both.push_back(load);
    both.push_back(step(OpClass::tensor).waits_for(0));
  }
  const GpuSpec h100 = gpu("h100");
  const auto outcome = [](const Program& program, const std::string& gpcs, const std::string& pct,
                          const std::string& gpc_way = "0") {
    return run(gpu("h100", {"sm.gpcs=" + gpcs, "clock.tensor_hold_ns=100000", "clock.tensor_pct=" + pct,
                            "clock.tensor_step_pct=" + pct, "crossbar.gpc_clock_cycles=" + gpc_way,
                            "hbm.refresh_ns=0"}),  // which loads wait for one depends on when they come
               HandMadeKernel(1, kLanes, program), Mode::timing);
  };
  const char *const whole = "100", *const half = "50";
  // Without what a launch takes beside its CTAs, at the full clock.
  const auto ns = [&h100](const RunOutcome& one) {
    return (static_cast<double>(one.cycles) / one.sm_mhz -
            static_cast<double>(h100.launch.overhead_cycles) / h100.clock.sm_mhz) *
           1000;
  };
  CHECK(outcome(loads, "[1]", half).cycles == outcome(loads, "[1]", whole).cycles);
  CHECK(outcome(loads, "[1]", half).sm_mhz == h100.clock.sm_mhz);
  CHECK(outcome(both, "[1]", whole).sm_mhz == h100.clock.sm_mhz);
  // Products take as many cycles and twice the time, but for the code's first fetch.
  const RunOutcome fast = outcome(products, "[1]", whole), slow = outcome(products, "[1]", half);
  CHECK(ns(slow) > 1.6 * ns(fast));
  CHECK(ns(slow) < 2.1 * ns(fast));
  CHECK(static_cast<double>(slow.cycles) == doctest::Approx(static_cast<double>(fast.cycles)).epsilon(0.03));
  // Memory takes as long and fewer cycles.
  const RunOutcome far = outcome(both, "[1]", whole), far_slow = outcome(both, "[1]", half);
  CHECK(ns(far_slow) == doctest::Approx(ns(far)).epsilon(0.05));
  CHECK(far_slow.cycles < far.cycles - 16 * 100);
  // ... but for the part of the way that goes by the GPC's clock: 130 cycles twice as long for each load, to the grain
  // of a window.
  const double more = 16 * 130 * 1000 / h100.clock.sm_mhz;
  CHECK(ns(outcome(both, "[1]", half, "130")) > ns(far) + 0.9 * more);
  CHECK(ns(outcome(both, "[1]", half, "130")) < ns(far) + 2 * more);
  CHECK(outcome(both, "[1]", whole, "130").cycles == far.cycles);
  // A GPC without tensor work goes on counting as before.
  const RunOutcome beside = outcome(products, "[1, 1]", half);
  CHECK(ns(beside) == doctest::Approx(ns(slow)).epsilon(0.01));
  CHECK(beside.sm_mhz == h100.clock.sm_mhz);
  CHECK(beside.cycles > slow.cycles);
  const HandMadeKernel kernel(1, kLanes, products);
  const MetricSource source{h100, kernel.launch(), slow};
  CHECK(source.sm_mhz() == slow.sm_mhz);
}
