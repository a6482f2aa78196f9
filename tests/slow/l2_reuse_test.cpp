// What a tiled GEMM reads from HBM follows from who runs when, and from what one L2 partition holds: measured on an
// H200, all of B comes once for each row of CTAs at 4096^3 and once in all at 2048^3. Counts mode, one line in some.
#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("a tiled GEMM reads B again for each row of CTAs at 4096^3, and everything once at 2048^3") {
  struct {
    int size, tile;
    double measured;
  } const rows[] = {{2048, 32, 34e6}, {4096, 32, 8.4e9}, {4096, 16, 17.0e9}};
  for (const auto& [size, tile, measured] : rows) {
    CAPTURE(size);
    CAPTURE(tile);
    const std::string text = std::to_string(size);
    const auto made = kernel("gemm_tiled", {{"M", text}, {"N", text}, {"K", text}, {"tile", std::to_string(tile)}});
    const RunOutcome outcome = run(h200(), *made, Mode::counts, Sample::automatic, 2);
    CHECK(static_cast<double>(outcome.memory.hbm.read_bytes) == doctest::Approx(measured).epsilon(0.1));
  }
}
