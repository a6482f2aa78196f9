// `tilescope compare`: predicted against measured.
#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command compare_command();

}  // namespace tilescope::cli
