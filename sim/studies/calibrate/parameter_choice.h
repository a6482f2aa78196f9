// Which parameters a fit moves, and between which bounds: what the user named, or all that the GPU's file leaves free.
//
//   --parameter hbm.latency_ns=50:20: error: got '50:20'; must be LOW:HIGH with LOW below HIGH
//   --parameter l1.latency_cycles: error: measured (h200.yaml:61: 'M: dependent LDG, hit'); only values marked A
//   (assumed) or F (fitted) are free
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/results/metrics.h"
#include "sim/studies/calibrate/free_parameters.h"
#include "sim/studies/calibrate/gpu_file.h"

namespace tilescope::calibrate {

struct ChosenParameter {
  std::string key;
  std::string unit;
  bool whole = false;  // a whole number: the model sees it rounded
  double before = 0;   // in the GPU's file; may lie outside the bounds
  double low = 0;
  double high = 0;
  const FreeParameter* about = nullptr;
};

// `words`: KEY or KEY=LOW:HIGH, each key once; none: every free parameter that the file does not call measured or
// published and that can move one of `metrics`. Bounds are valid values of the GPU, both ends. Every error in one run.
tl::expected<std::vector<ChosenParameter>, Diagnostics> choose_parameters(const GpuFile& file,
                                                                          const std::vector<std::string>& words,
                                                                          const std::vector<const Metric*>& metrics);

// The parameter's value as it stands in a file: a whole number without a point, a real in the fewest digits that give
// it back.
std::string value_text(const ChosenParameter& parameter, double value);

}  // namespace tilescope::calibrate
