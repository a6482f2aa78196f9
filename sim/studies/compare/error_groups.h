// What errors of the cycles come to for cases that have something in common.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/compare/comparison.h"

namespace tilescope {

struct ErrorGroup {
  std::string by;    // "program", "size" or "kernel"
  std::string name;  // "30,000 to 100,000 cycles"
  ErrorStatistics statistics;
};

// Programs in the order of the cases, sizes from small to large, the kernels with the most cases first. Of
// gpc__cycles_elapsed.max, or of gpu__time_duration.sum where no case has cycles; empty where none has either. A size
// is how many cycles were measured: fewer than 7,000, 30,000, 100,000, 1,000,000, or more.
std::vector<ErrorGroup> error_groups(const Comparison& comparison);

}  // namespace tilescope
