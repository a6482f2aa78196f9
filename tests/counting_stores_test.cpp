// How long stores keep a CTA on its SM in the counting engine.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// When the first CTA has left its SM: each SM has one, which stores 64 KiB.
Cycle first_end(const GpuSpec& gpu, unsigned thin_shift) {
  const auto made = kernel("gemm_register", {{"M", "1408"}, {"N", "1536"}, {"K", "8"}});
  CountingEngine engine(gpu, *made, 1, {.thin_shift = thin_shift});
  engine.run();
  Cycle first = kNever;
  for (const FinishedCta& cta : engine.timeline()) first = std::min(first, cta.end);
  return first;
}

}  // namespace

TEST_CASE("a CTA that is counted stays on its SM until what it stores has left") {
  // 512 lines leave the SM one every two cycles; with hardly any under way they go one by one.
  CHECK(first_end(h200(), 0) > 1024);
  CHECK(first_end(gpu("h200", {"lsu.stores_under_way=16"}), 0) > first_end(h200(), 0) + 1000);
}

TEST_CASE("lines that are looked up leave the SM as slowly as all that they stand for") {
  CHECK(first_end(h200(), 3) > 1024);
}
