// What a launch asks for besides its sizes, as cuLaunchKernelEx() and cuFuncSetAttribute() take it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/support/yaml_section.h"

namespace tilescope::sass {

// {carveout: 50, cooperative: true, programmatic_serialization: true, priority: -1, attribute_12: 3}: names and values,
// in the file's order. `carveout` is percent of the shared memory, -1 the driver's choice; attributes without a name
// here have their number. None changes what the simulator does.
std::vector<std::pair<std::string, std::string>> read_attributes(const YamlSection::Entry& attributes,
                                                                 Diagnostics& errors);

}  // namespace tilescope::sass
