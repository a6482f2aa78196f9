// `tilescope explain KERNEL`: what costs it time, and what would change that.
#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command explain_command();

}  // namespace tilescope::cli
