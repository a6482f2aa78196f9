#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command man_command();

}  // namespace tilescope::cli
