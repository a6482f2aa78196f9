// Counting by runs of equal segments counts what counting segment by segment does.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "engine_runs.h"
#include "hidden_runs.h"
#include "kernel_walk.h"
#include "sass_runs.h"
#include "sim/engine/counting/cta_run.h"

using namespace tilescope;

namespace {

std::vector<double> counted(const Kernel& kernel, unsigned thin_shift, int threads) {
  CountingEngine engine(test::h200(), kernel, threads, {.thin_shift = thin_shift});
  engine.run();
  RunOutcome outcome;
  outcome.sm = engine.sm_counters();
  outcome.memory = engine.memory_counters();
  std::vector<double> all = test::numbers(outcome);
  all.push_back(static_cast<double>(engine.cycles()));
  all.push_back(static_cast<double>(engine.instructions()));
  return all;
}

void check_counts(const Kernel& kernel) {
  for (const unsigned shift : {0U, 2U, 5U}) {
    CAPTURE(shift);
    const std::vector<double> whole = counted(kernel, shift, 1);
    CHECK(whole == counted(test::HiddenRuns(kernel), shift, 1));
    CHECK(whole == counted(kernel, shift, 3));
  }
}

}  // namespace

TEST_CASE("runs of generated kernels change no counter, whatever share of the lines is looked up") {
  const std::pair<const char*, ParameterTexts> kernels[] = {
      {"gemm_naive", {{"M", "130"}, {"N", "140"}, {"K", "403"}}},
      {"gemm_naive", {{"M", "64"}, {"N", "64"}, {"K", "256"}, {"block_x", "8"}, {"block_y", "4"}}},
      {"gemm_naive", {{"M", "96"}, {"N", "200"}, {"K", "333"}, {"lanes", "row"}}},
      {"gemm_tiled", {{"M", "128"}, {"N", "128"}, {"K", "500"}}},
      {"gemm_register", {{"M", "128"}, {"N", "256"}, {"K", "256"}}},
      {"reread", {{"bytes", "100000"}, {"passes", "9"}, {"ctas", "2"}}},
      {"copy", {{"bytes", "1000000"}}},
  };
  for (const auto& [name, parameters] : kernels) {
    CAPTURE(name);
    check_counts(*test::kernel(name, parameters));
  }
}

TEST_CASE("runs of compiled kernels change no counter") {
  for (const char* name : {"gemm_naive", "gemm_tiled", "gemm_register", "gemm_async", "reread"}) {
    CAPTURE(name);
    check_counts(*test::sass_kernel(test::sass_samples + name + ".yaml"));
  }
}

TEST_CASE("runs of steps whose loads join requests change no counter") {
  const test::SassScratch scratch;
  const std::string samples = TILESCOPE_SOURCE_DIR "/traces/samples/sass/gpu/gemm_tiled.sm_90";
  for (const char* tile : {"8", "16"}) {
    CAPTURE(tile);
    const std::string name = std::string("gemm_tiledILi") + tile + "ELi0ELi0ELb0ELb0ELb0E";
    const std::string file = scratch.write(
        "tiled.yaml", "kernel: {sass: " + samples + ".sass, elf: " + samples + ".elf, name: " + name +
                          "}\ngrid: [8, 8]\nblock: [" + tile + ", " + tile +
                          "]\nargs: [{buffer: 512KiB}, {buffer: 512KiB}, {buffer: 512KiB}, 128, 128, 512]\n");
    check_counts(*test::sass_kernel(file));
  }
}

TEST_CASE("a shape's tracks are the lines of a step, each once, and know their touches in order") {
  const auto kernel = test::kernel("gemm_naive", {{"M", "64"}, {"N", "64"}, {"K", "256"}});
  const AccessCosts costs(test::h200(), kernel->patterns());
  const PipeTable pipes(test::h200());
  const auto stream = kernel->make_stream();
  stream->start(0, 0, Operands::all);
  Segment segment;
  while (stream->next_run(segment) && segment.repeats < CtaRun::kFewest) {
  }
  REQUIRE(segment.repeats == 16);  // 256 / 16
  const SegmentTotals totals = totals_of(segment, costs, pipes, test::h200());
  RunShapes shapes(0);
  CtaRun run;
  REQUIRE(run.begin({{&segment, segment.advance, &totals}}, segment.repeats, costs, shapes));
  WorkCounters counters;
  std::uint64_t requests = 0;
  while (run.left() > 0) {
    const RunShape::Phase& phase = run.next(costs, counters);
    // Two rows of A, of which 16 floats lie in one line, and 16 rows of B.
    CHECK(phase.tracks.size() == 2 + 16);
    CHECK(phase.touches.size() == 16 * 2 + 16);
    REQUIRE(phase.groups.size() == 2);
    CHECK(phase.groups[0].tagged.size() + phase.groups[1].tagged.size() == 1);
    CHECK(phase.groups[0].tracks.size() + phase.groups[1].tracks.size() == 2 + 16);
    for (std::size_t i = 0; i < phase.touches.size(); ++i) CHECK(phase.touches[i].loads_before == i);
    CHECK(std::none_of(phase.touches.begin(), phase.touches.end(), [](const auto& touch) { return touch.joins; }));
    // Those whose lines are kept, whatever is remembered from the steps before.
    const auto keeps = [&](LineAddress line) { return line.number() % 3 == 0; };
    std::vector<std::uint32_t> found, expected;
    run.each_kept(phase, keeps, [&](std::uint32_t track) { found.push_back(track); });
    for (std::uint32_t t = 0; t < phase.tracks.size(); ++t)
      if (keeps(run.line(phase.tracks[t]))) expected.push_back(t);
    std::sort(found.begin(), found.end());
    CHECK(found == expected);
    requests += 32;
    CHECK(counters.of(AccessKind::global_load).requests == requests);
  }
}
