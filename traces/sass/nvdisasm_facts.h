// The kernel facts that nvdisasm prints as sections of data around the code.
#pragma once

#include <string>

#include "traces/sass/kernel_facts.h"

namespace tilescope::sass {

// Empty for text of cuobjdump, which has no sections.
FactsByFunction facts_from_nvdisasm(const std::string& text);

}  // namespace tilescope::sass
