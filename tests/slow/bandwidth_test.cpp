// L2 and HBM bandwidth of an H200, measured with gpu/microbench (bandwidth): GB/s, each line with one reader, L1
// bypassed.
#include "memory_curves.h"
#include "traces/kernels/copy.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("reads from L2 by all SMs, by one GPC and by one SM, and reads and copies of HBM") {
  constexpr double kTolerance = 5;
  constexpr std::int64_t kRow = 132 * 1024 * 16;
  struct {
    const char* what;
    std::int64_t ctas, bytes;
    double measured;
    double tolerance = kTolerance;
  } const rows[] = {// Of whole rows of all SMs, so that each of them reads as much; 16 and 32 MiB were measured.
                    {"L2, all SMs (known deviation)", 132, 8 * kRow, 8370, 7.5},
                    {"L2, all SMs, 32 MiB", 132, 15 * kRow, 8620},
                    {"L2, one SM", 1, 1 << 20, 242},
                    {"HBM, read", 132, 96 << 20, 4570}};
  for (const auto& [what, ctas, bytes, measured, tolerance] : rows)
    compare(std::string("h200 GB/s, ") + what, measured,
            reread_rate(h200(), {.bytes = bytes, .ctas = ctas, .cached = false}, 2, 6), tolerance);

  GpuSpec one_gpc = h200();
  one_gpc.sm.gpcs = {16};
  compare("h200 GB/s, L2, one GPC", 1265, reread_rate(one_gpc, {.bytes = 4 << 20, .ctas = 16, .cached = false}, 2, 6),
          kTolerance);

  // The second 96 MiB of a copy: the first fill the L2 with data to be written back.
  constexpr std::int64_t kBytes = 96 << 20;
  const auto copy = [](std::int64_t bytes) { return Copy({.elements = bytes / 16, .threads = 512}); };
  compare("h200 GB/s, HBM, copy (both directions)", 3980,
          gigabytes_per_second(h200(), 2.0 * kBytes, copy(kBytes), copy(2 * kBytes)), 9);
}
