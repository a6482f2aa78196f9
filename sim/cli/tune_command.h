// `tilescope tune M N K`: which of many configurations of a matrix product is fastest.
#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command tune_command();

}  // namespace tilescope::cli
