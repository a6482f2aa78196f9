// A CTA stays until what it has stored has left its SM, however late slices let it: a transposition whose stores take
// a sector of 32 lines each, against gpu/measured/<gpu>/train_more.csv.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine_runs.h"
#include "traces/kernels/registry.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

RunOutcome transposition(const GpuSpec& gpu) {
  return run(gpu, **make_kernel("transpose", {{"M", "1024"}, {"N", "1024"}, {"form", "naive"}}), Mode::timing,
             Sample::off, 2);
}

double active(const RunOutcome& outcome, const GpuSpec& gpu) {
  return static_cast<double>(outcome.sm.active_cycles) / static_cast<double>(gpu.sm.count());
}

}  // namespace

TEST_CASE("SMs are active until their stores have left") {
  struct Row {
    const char* gpu;
    double active;  // sm__cycles_active.avg
  };
  for (const Row& row : {Row{"h200", 28568}, Row{"h100", 33339}}) {
    CAPTURE(row.gpu);
    const GpuSpec spec = cold_gpu(row.gpu);
    CHECK(active(transposition(spec), spec) == doctest::Approx(row.active).epsilon(0.1));
  }
}

TEST_CASE("nothing happens after the last CTA but the last answers") {
  const RunOutcome outcome = transposition(cold_gpu("h200"));
  Cycle last = 0;
  for (const FinishedCta& cta : outcome.timeline) last = std::max(last, cta.end);
  CHECK(outcome.cycles - h200().launch.overhead_cycles - last < 1000);
}
