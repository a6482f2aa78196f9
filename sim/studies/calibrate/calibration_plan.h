// What a calibration would do, before it does it.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/calibrate/gpu_file.h"
#include "sim/studies/calibrate/parameter_choice.h"
#include "sim/studies/calibrate/training_cases.h"

namespace tilescope::calibrate {

// The parameters with their bounds and what each is determined by, the launches with their size, those left out and
// why, and how many simulations the fit takes at most or thereabouts.
std::string plan_table(const GpuFile& file, const std::vector<ChosenParameter>& parameters,
                       const TrainingCases& training, int most_iterations);

}  // namespace tilescope::calibrate
