// The kernel facts that nvdisasm prints as sections of data around the code.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"
#include "traces/sass/kernel_facts.h"

namespace tilescope::sass {

// Empty for text of cuobjdump, which has no sections. A fact that no kernel can have is an error.
tl::expected<FactsByFunction, Diagnostics> facts_from_nvdisasm(const std::string& text, const std::string& file);

}  // namespace tilescope::sass
