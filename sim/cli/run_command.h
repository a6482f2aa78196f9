#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope run KERNEL...`
Command run_command();

}  // namespace tilescope::cli
