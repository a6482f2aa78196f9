#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command completion_command();

}  // namespace tilescope::cli
