#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope list kernels|gpus|metrics`
Command list_command();

}  // namespace tilescope::cli
