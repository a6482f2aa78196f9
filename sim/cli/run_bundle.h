// `tilescope run DIR`: every launch of a bundle, or those that a pattern chooses.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/cli/command.h"
#include "sim/simulate.h"

namespace tilescope::cli {

// DIR or DIR#PATTERN: a table of launches answers. DIR#ID is a kernel as any other.
bool is_table_of_launches(const std::string& word);

// 1 when a launch failed or none could be simulated, after the answer is written; launches that are refused because
// they ask for what is not modelled are listed, and no failure.
int run_bundle_launches(const Values& values, const std::string& word, const std::vector<GpuSpec>& gpus,
                        RunOptions options, std::ostream& out);

}  // namespace tilescope::cli
