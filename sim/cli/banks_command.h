#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope banks`
Command banks_command();

}  // namespace tilescope::cli
