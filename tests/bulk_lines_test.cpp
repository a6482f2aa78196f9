// The order in which an SM takes in the lines of its bulk copies, and what that does to tiles that come to the CTAs of
// a cluster: gpu/measured/h100/tile_bursts_counted.csv.
#include "sim/engine/bulk_lines.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "microbench.h"
#include "sim/engine/memory_system.h"
#include "traces/open_kernel.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kRows = 128;  // of 128 bytes, of a box

// probe_multicast_burst of counted_tile_bursts: the CTAs of each cluster ask for `boxes` boxes at once, one behind the
// other in memory.
std::unique_ptr<Kernel> burst(int ctas, int cluster, int boxes) {
  const std::string listing = TILESCOPE_SOURCE_DIR "/traces/samples/sass/microbench/counted_tile_bursts.sm_90";
  const int tiles = ctas / cluster;
  const std::string launch = fmt::format(
      "kernel: {{sass: {0}.sass, elf: {0}.elf, name: probe_multicast_burst}}\n"
      "grid: [{1}]\nblock: [32]\ncluster: [{2}]\ndynamic_smem: 197632\n"
      "args:\n"
      "  - {{tensor_map: {{buffer: 160MiB, type: f16, dims: [64, {3}], strides: [128], box: [64, {4}], swizzle: "
      "128}}}}\n"
      "  - {5}\n  - {6}\n  - {{u8: 0}}\n  - {2}\n",
      listing, ctas, cluster, 12 * tiles * kRows, kRows / cluster, boxes, tiles);
  auto made = open_kernel_text(launch, "burst.yaml");
  if (!made) FAIL(joined_messages(made.error()));
  return *std::move(made);
}

// sm__cycles_active of the SMs that have a CTA.
double measured(int ctas, int cluster, int boxes) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/tile_bursts_counted.csv");
  const std::regex row(fmt::format(
      "counted_tile_bursts,ctas={};cluster={};pitch=128;boxes={};by=tma,[0-9.]+,([0-9.]+),.*", ctas, cluster, boxes));
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, row)) return std::stod(found[1]) * 132 / ctas;
  FAIL("no such row");
  return 0;
}

Tick at(std::int64_t cycle) { return to_ticks(cycle); }

BulkLine line_at(std::int64_t cycle, std::uint32_t copy) { return {at(cycle), copy, 0, 0, SectorMask::all()}; }

}  // namespace

TEST_CASE("lines are taken in as they come, equal ones as they were asked for, and none before its time") {
  BulkLines lines;
  for (const auto& [cycle, copy] : {std::pair{30, 1U}, {10, 2U}, {20, 3U}, {10, 4U}}) lines.add(line_at(cycle, copy));
  CHECK(lines.earliest() == at(10));
  std::vector<std::uint32_t> copies;
  const auto note = [&](const BulkLine& line) { copies.push_back(line.copy); };
  lines.take_in(at(10), note);
  CHECK(copies.empty());
  lines.take_in(at(21), note);
  CHECK(copies == std::vector<std::uint32_t>{2, 4, 3});
  lines.add(line_at(25, 5));
  lines.take_in(at(100), note);
  CHECK(copies == std::vector<std::uint32_t>{2, 4, 3, 5, 1});
  CHECK(lines.empty());
}

TEST_CASE("a line that comes late waits behind all that has come before it") {
  // 64 lines come at once; one that may have been asked for before them comes a cycle later.
  MemorySystem busy(h200()), idle(h200());
  for (int i = 0; i < 64; ++i) busy.take_in_bulk(0, SectorMask::all(), at(1000));
  const Cycle late = busy.take_in_bulk(0, SectorMask::all(), at(1001));
  // 128 bytes of each, as many cycles as asynchronous.read_bytes_per_cycle makes of them, less a span of the calendar.
  CHECK(late - idle.take_in_bulk(0, SectorMask::all(), at(1001)) >= 64 * 128 / 105 - 16);
}

TEST_CASE("tiles from HBM come to the CTAs of clusters as late as on an H100") {
  const GpuSpec h100 = cold_gpu("h100");
  for (const auto& [ctas, cluster] : {std::pair{2, 2}, {4, 4}, {8, 8}, {64, 2}, {64, 4}, {64, 8}})
    for (const int boxes : {1, 4, 12}) {
      const auto kernel = burst(ctas, cluster, boxes);
      check_figure(fmt::format("{} CTAs in clusters of {}, {} boxes", ctas, cluster, boxes),
                   measured(ctas, cluster, boxes),
                   static_cast<double>(run_timed(*kernel, h100).sm.active_cycles) / ctas, 9);
    }
}
