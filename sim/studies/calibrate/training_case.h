// One launch that a fit is held against, measured once or more often.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/isa/kernel.h"
#include "sim/results/metrics.h"

namespace tilescope::calibrate {

struct Target {
  std::string label;  // of the measured row: "gemm_tiled_t32_a0_b0 512x512x512"
  const Metric* metric = nullptr;
  double measured = 0;  // in the metric's unit; > 0
};

struct TrainingCase {
  std::string label;  // of its first row
  std::shared_ptr<const Kernel> kernel;
  double instructions = 0;      // warp instructions of the launch
  std::vector<Target> targets;  // at least one, of the first row, then of the next
};

}  // namespace tilescope::calibrate
