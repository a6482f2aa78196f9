// Results as tidy CSV: one line per value.
#pragma once

#include <string>
#include <vector>

#include "sim/results/result.h"

namespace tilescope {

struct LabelledResult {
  std::string label;  // the kernel as the user wrote it
  Result result;
};

// kernel,metric,value,unit
// gemm_tiled,gpc__cycles_elapsed.max,812345,cycle
//
// Without the column `kernel` where there is one result. Derived values follow the metrics under "derived.NAME".
std::string result_csv(const std::vector<LabelledResult>& results);

}  // namespace tilescope
