// What two stores say about the same points, whichever version of the program computed them.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/sweep/sweep_table.h"

namespace tilescope::sweep {

struct ChangedValue {
  std::string point;   // "gemm_tiled h200 M=1024 ..."
  std::string column;  // a metric, a derived value, or status
  std::string before, after;
  double change = 0;  // relative; infinite from zero, 0 for words
  bool outside = true;
};

struct StoreDiff {
  std::vector<ChangedValue> changed;              // by point and column; also those within the tolerance
  std::vector<std::string> only_in_a, only_in_b;  // points
  std::size_t common = 0;                         // points
};

// Points match by kernel, GPU and parameters. `tolerance`: a relative change up to which two numbers are the same.
StoreDiff diff_tables(const SweepTable& a, const SweepTable& b, double tolerance);

}  // namespace tilescope::sweep
