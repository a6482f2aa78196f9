#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope config check|show|schema`
Command config_command();

}  // namespace tilescope::cli
