// Counting by runs of equal segments counts what counting segment by segment does.
#include <doctest/doctest.h>

#include <vector>

#include "engine_runs.h"
#include "hidden_runs.h"
#include "kernel_walk.h"
#include "sass_runs.h"
#include "sim/engine/counting/cta_run.h"

using namespace tilescope;

namespace {

std::vector<double> counted(const Kernel& kernel, unsigned thin_shift, int threads) {
  CountingEngine engine(test::h200(), kernel, threads, thin_shift);
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
  for (const char* name : {"gemm_naive", "gemm_register", "gemm_async", "reread"}) {
    CAPTURE(name);
    check_counts(*test::sass_kernel(test::sass_samples + name + ".yaml"));
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
  RunShapes shapes;
  CtaRun run;
  REQUIRE(run.begin({{&segment, segment.advance, &totals}}, segment.repeats, costs, shapes));
  WorkCounters counters;
  std::uint64_t requests = 0;
  while (run.left() > 0) {
    const CtaRun::Step step = run.next(costs, counters);
    // Two rows of A, of which 16 floats lie in one line, and 16 rows of B.
    CHECK(step.phase->tracks.size() == 2 + 16);
    CHECK(step.phase->touches.size() == 16 * 2 + 16);
    CHECK(step.phase->tagged.size() == 1);
    for (std::size_t i = 0; i < step.phase->touches.size(); ++i) CHECK(step.phase->touches[i].loads_before == i);
    requests += 32;
    CHECK(counters.of(AccessKind::global_load).requests == requests);
  }
}
