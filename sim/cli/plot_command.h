// `tilescope plot`: charts in the terminal.
#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command plot_command();

}  // namespace tilescope::cli
