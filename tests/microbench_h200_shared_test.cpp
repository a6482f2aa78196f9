// Shared memory of the modelled H200 against the measured one: latency, throughput, queue.
#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("a dependent shared load takes 23 cycles, and 2 more for each further wavefront") {
  struct {
    int ways;
    double measured;
  } const rows[] = {{1, 23}, {2, 25}, {4, 29}, {8, 37}, {16, 53}, {32, 85}};
  for (const auto& [ways, measured] : rows)
    check_figure("LDS.32, " + std::to_string(ways) + "-way", measured,
                 latency(load_shared(strided(0, 4U * static_cast<unsigned>(ways)))), 0);
}

// latency_l1: a register is whole only behind the last phase, and one is written each cycle.
TEST_CASE("wide shared loads take a cycle more for each further register, or pair of registers that lanes share") {
  check_figure("LDS.64, one lane", 23, latency(load_shared(strided(0, 8, 8, 1))), 0);
  check_figure("LDS.128, one lane", 24, latency(load_shared(strided(0, 16, 16, 1))), 0);
  check_figure("LDS.64", 26, latency(load_shared(strided(0, 8, 8))), 0);
  check_figure("LDS.64, 2-way", 30, latency(load_shared(strided(0, 16, 8))), 0);
  check_figure("LDS.128", 32, latency(load_shared(strided(0, 16, 16))), 0);
  check_figure("LDS.128, 2-way", 40, latency(load_shared(strided(0, 32, 16))), 0);
  check_figure("LDS.64, 4-way", 38, latency(load_shared(strided(0, 32, 8))), 0);
  check_figure("LDS.128, 4-way", 56, latency(load_shared(strided(0, 64, 16))), 0);
  check_figure("LDS.64, all lanes alike", 23, latency(load_shared(strided(0, 0, 8))), 0);
  check_figure("LDS.128, all lanes alike", 26, latency(load_shared(strided(0, 0, 16))), 0);
}

// ptxas puts four cycles between the accesses of a warp.
TEST_CASE("shared-memory throughput: one instruction per 4 cycles of a warp, one wavefront per cycle of the SM") {
  constexpr int kWarps[] = {1, 2, 4, 8, 16, 32};
  struct {
    const char* what;
    Access access;
    double measured[6];
  } const rows[] = {
      {"LDS.32", strided(0, 4), {4.14, 2.08, 1.04, 1.01, 1.01, 1.02}},
      {"LDS.32, 2-way", strided(0, 8), {4.15, 2.09, 1.99, 2.00, 2.00, 2.01}},
      {"LDS.32, 4-way", strided(0, 16), {7.73, 3.96, 3.95, 3.98, 3.99, 4.01}},
      {"LDS.32, 32-way", strided(0, 128), {60.5, 30.9, 31.4, 31.6, 31.8, 31.9}},
      {"LDS.64", strided(0, 8, 8), {4.16, 2.09, 2.00, 2.00, 2.00, 2.01}},
      {"LDS.128", strided(0, 16, 16), {8.12, 4.09, 4.04, 4.04, 4.03, 4.01}},
  };
  for (const auto& row : rows)
    for (std::size_t i = 0; i < std::size(kWarps); ++i) {
      const std::string what = std::string(row.what) + ", " + std::to_string(kWarps[i]) + " warps";
      check_figure(what, row.measured[i], cycles_per_access(load_shared(row.access).stall(4), kWarps[i]), 7);
    }
  for (std::size_t i = 0; i < std::size(kWarps); ++i)  // stores: the same, within 2 %
    check_figure("STS.32, " + std::to_string(kWarps[i]) + " warps", rows[0].measured[i],
                 cycles_per_access(step(OpClass::shared_store, {strided(0, 4)}).stall(4), kWarps[i]), 7);
}

// Issued until the last one issued, less those served by then.
TEST_CASE("about 30, 40 and 60 accesses wait in the queues of 1, 2 and 4 sub-partitions") {
  struct {
    int warps;
    double cycles_each, measured;
  } const rows[] = {{1, 64, 30}, {2, 32, 40}, {4, 32, 59}, {8, 32, 59}, {16, 32, 59}};
  for (const auto& [warps, cycles_each, measured] : rows) {
    constexpr int kTimes = 100;
    const Cycle last =
        run_timed(HandMadeKernel(1, warps * kLanes, repeated(kTimes, load_shared(strided(0, 128)))), one_sm()).cycles;
    const double waiting = kTimes * warps - static_cast<double>(last) / cycles_each;
    check_figure("accesses in flight, " + std::to_string(warps) + " warps", measured, waiting, 10);
  }
}

// Two warps of one sub-partition get all of it on hardware as well; here one of them fills the queue first.
TEST_CASE("a warp alone gets half of the data stage, two of different sub-partitions get all of it") {
  const double alone = cycles_per_access(load_shared(strided(0, 128)), 1);
  for (const int other : {1, 2, 3}) {  // warp i is of sub-partition i % 4
    CAPTURE(other);
    const auto cycles = [&](int times) {
      const Program work = repeated(times, load_shared(strided(0, 128)));
      const HandMadeKernel kernel(1, 5 * kLanes, {work, Program{}},
                                  [&](std::int64_t, int warp) { return warp == 0 || warp == other ? 0U : 1U; });
      return run_timed(kernel, one_sm()).cycles;
    };
    CHECK(static_cast<double>(cycles(192) - cycles(64)) / 128 / 2 == doctest::Approx(alone / 2).epsilon(0.02));
  }
}
