// What a launch does over time, and its trace for Perfetto.
#include "sim/engine/launch_history.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine_runs.h"
#include "kernel_walk.h"
#include "sass_runs.h"
#include "sim/results/views/perfetto_trace.h"

using namespace tilescope;

namespace {

struct Watched {
  RunOutcome outcome;
  LaunchHistory history;
  CtaActivity activity{0};
};

Watched watched(const GpuSpec& gpu, const Kernel& kernel, Sample sample = Sample::off, int threads = 1) {
  Watched all;
  RunOptions options;
  options.sample = sample;
  options.threads = threads;
  options.history = &all.history;
  options.activity = &all.activity;
  all.outcome = simulate(gpu, kernel, options);
  return all;
}

// Bulk copies, mbarriers and products of warpgroups.
std::unique_ptr<Kernel> pipelined() {
  return test::sass_kernel(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/pipelined/train/launches/0012.yaml");
}

std::string trace_of(const Watched& all) {
  return perfetto_trace({all.outcome.timeline, all.history, all.activity, all.outcome.sm_mhz, 1});
}

SmWindow sum(const LaunchHistory& history) {
  SmWindow total;
  for (const auto& windows : history.sms())
    for (const SmWindow& window : windows) total += window;
  return total;
}

}  // namespace

TEST_CASE("over all windows the history is the launch's totals") {
  const auto copies = pipelined();
  const auto gemm = test::kernel("gemm_tiled", {{"M", "256"}, {"N", "256"}, {"K", "128"}});
  // What a launch reads before its CTAs is of no channel.
  const GpuSpec gpu = test::gpu("h200", {"launch.read_bytes=0"});
  for (const Kernel* kernel : {copies.get(), gemm.get()}) {
    const Watched all = watched(gpu, *kernel);
    const SmWindow total = sum(all.history);
    CHECK(total.stall_cycles == all.outcome.sm.stall_cycles);
    CHECK(total.data_wavefronts == all.outcome.sm.data_wavefronts);
    CHECK(total.tag_cycles == all.outcome.sm.tag_cycles);
    std::uint64_t issued = 0;
    for (const std::uint64_t count : total.instructions) issued += count;
    CHECK(issued == all.outcome.sm.total_instructions());
    ChipWindow chip;
    for (const ChipWindow& window : all.history.chip()) chip += window;
    CHECK(chip.memory.l2.read_sectors == all.outcome.memory.l2.read_sectors);
    CHECK(chip.memory.l2.read_hit_sectors == all.outcome.memory.l2.read_hit_sectors);
    CHECK(chip.memory.hbm.read_bytes == all.outcome.memory.hbm.read_bytes);
    CHECK(chip.memory.hbm.write_bytes == all.outcome.memory.hbm.write_bytes);
    std::uint64_t bytes = 0;
    for (const std::uint64_t channel : chip.channel_bytes) bytes += channel;
    CHECK(bytes == all.outcome.memory.hbm.read_bytes + all.outcome.memory.hbm.write_bytes);
    CHECK(all.history.windows() <= LaunchHistory::kMostWindows);
    CHECK(all.history.until() <= static_cast<Cycle>(all.history.windows()) * all.history.window());
  }
  const Watched all = watched(test::h200(), *copies);
  CHECK(sum(all.history).bulk_bytes == 64 * 16 * 2 * 64 * 64 * 2);  // CTAs, steps, operands, their tiles
  CHECK(sum(all.history).tensor_cycles > 0);
}

TEST_CASE("a warp that waits is seen in the windows in which it waits, not in that of its issue") {
  const auto gemm = test::kernel("gemm_naive", {{"M", "32"}, {"N", "32"}, {"K", "512"}});
  const Watched all = watched(test::gpu("h200", {"sm.gpcs=[1]"}), *gemm);
  const auto& windows = all.history.sms().at(0);
  const auto warps = static_cast<double>(gemm->launch().grid.count() * gemm->launch().warps_per_cta());
  REQUIRE(windows.size() > 8);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::uint64_t cycles = 0;
    for (const std::uint64_t one : windows[i].stall_cycles) cycles += one;
    CHECK(static_cast<double>(cycles) <= warps * static_cast<double>(all.history.window()));
    if (i > 0 && 2 * i < windows.size())
      CHECK(static_cast<double>(cycles) > 0.99 * warps * static_cast<double>(all.history.window()));
  }
}

TEST_CASE("watching changes nothing, and the trace is the same for any number of threads") {
  const auto kernel = pipelined();
  const Watched one = watched(test::h200(), *kernel), three = watched(test::h200(), *kernel, Sample::off, 3);
  CHECK(trace_of(one) == trace_of(three));
  RunOptions plain;
  plain.sample = Sample::off;
  CHECK(simulate(test::h200(), *kernel, plain).cycles == one.outcome.cycles);
}

// What Perfetto's importer of JSON traces asks of one: known phases, names where they are needed, slices of a thread
// that do not overlap in part, the values of a counter in order of time.
TEST_CASE("the trace is one that Perfetto reads") {
  const auto kernel = pipelined();
  const std::string text = trace_of(watched(test::h200(), *kernel));
  const auto trace = nlohmann::json::parse(text);
  std::map<std::pair<int, int>, double> ended;
  std::map<std::pair<int, std::string>, double> counted;
  std::set<int> named;
  std::set<std::pair<int, int>> threads;
  int ctas = 0, copies = 0, products = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    const int pid = event.at("pid");
    const auto name = event.at("name").get<std::string>();
    if (phase == "M") {
      if (name == "process_name") named.insert(pid);
      if (name == "thread_name") threads.insert({pid, event.at("tid").get<int>()});
      continue;
    }
    CHECK(named.count(pid) == 1);
    const double ts = event.at("ts");
    CHECK(ts >= 0);
    if (phase == "C") {
      REQUIRE(event.at("args").size() == 1);
      const auto series = event.at("args").begin();
      CHECK(series.value().is_number());
      double& last = counted[{pid, name + "/" + series.key()}];
      CHECK(ts >= last);
      last = ts;
      continue;
    }
    REQUIRE(phase == "X");
    const std::pair<int, int> thread{pid, event.at("tid").get<int>()};
    CHECK(threads.count(thread) == 1);
    const double until = ts + event.at("dur").get<double>();
    CHECK(until > ts);
    double& last = ended[thread];
    CHECK(ts >= last - 1e-6);
    last = until;
    ctas += name.starts_with("CTA ");
    copies += name == "copy";
    products += name == "products";
  }
  CHECK(ctas == 64);
  CHECK(copies == 2 * 8);
  CHECK(products > 0);
  CHECK(counted.count({100'001, "L2 slices, sectors per cycle/slice 0"}) == 1);
  CHECK(counted.count({100'001, "HBM GB/s/read"}) == 1);
}

TEST_CASE("of a sampled launch the history is its beginning") {
  const auto gemm = test::kernel("gemm_tiled", {{"M", "1024"}, {"N", "1024"}, {"K", "1024"}});
  const Watched all = watched(test::gpu("h200", {"sm.gpcs=[4]"}), *gemm, Sample::fast);
  REQUIRE(all.outcome.sampled_fraction < 1);
  CHECK(all.history.until() < all.outcome.cycles);
  CHECK(sum(all.history).stall_cycles[static_cast<std::size_t>(Stall::selected)] > 0);
}
