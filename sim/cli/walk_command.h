#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope walk KERNEL`
Command walk_command();

}  // namespace tilescope::cli
