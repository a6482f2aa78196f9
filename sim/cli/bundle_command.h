#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command bundle_command();

}  // namespace tilescope::cli
