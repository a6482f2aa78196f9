// bundle.yaml: which program was recorded, where, and how it ended.
#pragma once

#include <string>

#include "models/support/diagnostic.h"
#include "traces/bundle/bundle.h"

namespace tilescope::bundle {

BundleFacts read_facts(const std::string& text, const std::string& path, Diagnostics& errors);

}  // namespace tilescope::bundle
