// Other parameters of a generator that may take a problem away: pads, swizzles, lane mappings, vector widths, rasters,
// tiles. By the names that all generators share, so that a new generator is explained without a word here.
#pragma once

#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/studies/explain/explanation.h"
#include "traces/kernels/parameters.h"

namespace tilescope::explain {

struct ParameterFix {
  std::string what;  // "pad_a=1 pad_b=1"
  ParameterTexts parameters;
};

// Of a launch of a built-in kernel; its problem size stays. Only launches that can be made. In a fixed order.
std::vector<ParameterFix> parameter_fixes(const GpuSpec& gpu, const Launch& launch, Problem problem);

}  // namespace tilescope::explain
