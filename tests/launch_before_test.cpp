// A launch that finds L2 as the same launch left it (--cache-control none).
#include "sim/engine/launch_before.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "engine_runs.h"
#include "kernel_walk.h"
#include "microbench.h"
#include "sim/engine/traffic_memo.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

RunOptions options_with(CacheControl control, Mode mode = Mode::timing, Sample sample = Sample::off) {
  RunOptions options;
  options.cache_control = control;
  options.mode = mode;
  options.sample = sample;
  return options;
}

RunOutcome after_itself(const Kernel& kernel, Mode mode, Sample sample = Sample::off, const GpuSpec& spec = h200()) {
  return simulate(spec, kernel, options_with(CacheControl::none, mode, sample));
}

double hit_share(const RunOutcome& outcome) {
  const L2Counters& l2 = outcome.memory.l2;
  return static_cast<double>(l2.read_hit_sectors) / static_cast<double>(l2.read_sectors);
}

}  // namespace

TEST_CASE("what fits in L2 is there when the launch has gone before itself, in every mode") {
  const auto gemm = kernel("gemm_tiled", {{"M", "512"}, {"N", "512"}, {"K", "256"}, {"tile", "32"}});
  for (const Mode mode : {Mode::timing, Mode::counts})
    for (const Sample sample : {Sample::off, Sample::fast}) {
      const RunOutcome cold = run(h200(), *gemm, mode, sample), warm = after_itself(*gemm, mode, sample);
      CHECK(cold.memory.hbm.read_bytes >= 2 * 512 * 256 * 4);
      CHECK(warm.memory.hbm.read_bytes == 0);
      CHECK(hit_share(warm) == 1);
      CHECK(warm.sm.fill_sectors == cold.sm.fill_sectors);
      if (mode == Mode::timing) CHECK(warm.cycles < cold.cycles);
    }
}

TEST_CASE("what does not fit in L2 has left it before its turn comes again") {
  // 128 MiB are read and as many written: of the 50 of an H200's 60 that stay, nothing is read before the rest has
  // come.
  const auto copy = kernel("copy", {{"bytes", "134217728"}, {"width", "16"}});
  const RunOutcome cold = run(h200(), *copy, Mode::counts), warm = after_itself(*copy, Mode::counts);
  CHECK(static_cast<double>(warm.memory.hbm.read_bytes) > 0.95 * static_cast<double>(cold.memory.hbm.read_bytes));
  // The stores that the launch before has left in L2 go out now, in place of those that this one leaves.
  CHECK(warm.memory.hbm.write_bytes > cold.memory.hbm.write_bytes);
  CHECK(std::abs(static_cast<double>(warm.memory.hbm.write_bytes) - 134217728.0) < 0.05 * 134217728.0);
}

TEST_CASE("a launch that follows itself is the same for any number of threads, and every time") {
  const auto gemm = kernel("gemm_naive", {{"M", "256"}, {"N", "256"}, {"K", "256"}});
  RunOptions two = options_with(CacheControl::none);
  two.threads = 2;
  const std::vector<double> once = numbers(after_itself(*gemm, Mode::timing));
  CHECK(numbers(simulate(h200(), *gemm, two)) == once);
  CHECK(numbers(after_itself(*gemm, Mode::timing)) == once);
}

TEST_CASE("a memo of traffic is neither used nor filled by launches that find L2 as another left it") {
  const auto gemm = kernel("gemm_naive", {{"M", "256"}, {"N", "256"}, {"K", "256"}});
  TrafficMemo memo;
  RunOptions cold = options_with(CacheControl::all, Mode::counts),
             warm = options_with(CacheControl::none, Mode::counts);
  cold.memo = warm.memo = &memo;
  const std::uint64_t read = simulate(h200(), *gemm, cold).memory.hbm.read_bytes;
  CHECK(read > 0);
  CHECK(simulate(h200(), *gemm, warm).memory.hbm.read_bytes == 0);
  CHECK(simulate(h200(), *gemm, cold).memory.hbm.read_bytes == read);
}

TEST_CASE("code and constants are in L2") {
  const GpuSpec spec = cold_gpu("h100"), warm = with_code_in_l2(spec);
  CHECK(warm.instruction_cache.first_cycles == 0);
  CHECK(warm.instruction_cache.launch_line_cycles == 0);
  CHECK(warm.instruction_cache.memory_cycles < spec.instruction_cache.memory_cycles - 250);
  CHECK(warm.constant_cache.memory_cycles < spec.constant_cache.memory_cycles - 250);
  CHECK(warm.instruction_cache.miss_cycles == spec.instruction_cache.miss_cycles);
  // counted_empty, 132 CTAs of a warp: sm__cycles_active.avg is 338.17 where caches are flushed and 194.89 where not
  // (gpu/measured/h100/warm/empty_counted.csv).
  const HandMadeKernel empty(132, 32, std::vector<Step>{});
  const auto active = [&](const GpuSpec& one) {
    return static_cast<double>(run_timed(empty, one).sm.active_cycles) / 132;
  };
  check_figure("an empty launch's active cycles, flushed less not", 338.17 - 194.89, active(spec) - active(warm), 10);
}
