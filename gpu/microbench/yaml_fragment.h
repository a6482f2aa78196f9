// A fragment of configs/gpus/<gpu>.yaml: the keys that the scalars of a run determine, each with the rows it comes
// from. A key whose rows were not measured is left out. Sums that no key holds alone are written as comments.
#pragma once

#include <string>

#include "report.h"

namespace tilescope::gpu {

// Throws std::runtime_error if the file cannot be written.
void write_yaml_fragment(const Report& report, const std::string& path);

}  // namespace tilescope::gpu
