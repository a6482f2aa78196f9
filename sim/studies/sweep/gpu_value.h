// One value of a GPU's file as a study replaces it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/diagnostic.h"
#include "sim/studies/sweep/study.h"

namespace tilescope::sweep {

// What is wrong with the value alone ("l2.size_mib: got '0'; must be ..."); empty: nothing. Rules that span several
// values are left for the whole configuration.
std::string gpu_value_problem(const std::string& path, const std::string& value);

// A value of the configuration as text ("50", "lru", "[16, 18]"); empty where there is none of that path.
std::string gpu_value_text(const GpuSpec& gpu, const std::string& path);

// Every path of a configuration.
const std::vector<std::string>& gpu_paths();

}  // namespace tilescope::sweep
