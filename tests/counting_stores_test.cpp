// How long stores keep a CTA on its SM in the counting engine.
#include <doctest/doctest.h>

#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// When the CTA of a launch of one, which stores 64 KiB behind a loop, has left its SM.
Cycle end(const GpuSpec& gpu, unsigned thin_shift) {
  const auto made = kernel("gemm_register", {{"M", "128"}, {"N", "128"}, {"K", "64"}});
  CountingEngine engine(gpu, *made, 1, {.thin_shift = thin_shift});
  engine.run();
  return engine.timeline().front().end;
}

}  // namespace

TEST_CASE("a CTA that is counted stays on its SM until what it stores has left") {
  // 2,048 sectors.
  CHECK(end(gpu("h200", {"crossbar.write_sector_cycles=4"}), 0) > end(h200(), 0) + 2048 * 3);
}

TEST_CASE("lines that are looked up leave the SM as slowly as all that they stand for") {
  const unsigned shift = 3;
  CHECK(end(gpu("h200", {"crossbar.write_sector_cycles=4"}), shift) > end(h200(), shift) + 2048 * 3);
  // Eight steps load 160 lines each.
  CHECK(end(gpu("h200", {"crossbar.read_request_cycles=8"}), shift) > end(h200(), shift) + 8 * 160 * 7 * 3 / 4);
}
