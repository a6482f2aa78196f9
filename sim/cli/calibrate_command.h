#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope calibrate --measured FILE...`
Command calibrate_command();

}  // namespace tilescope::cli
