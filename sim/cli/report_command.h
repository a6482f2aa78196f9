// `tilescope report KERNEL...|STORE|compare.json -o report.html`: one page that needs nothing else.
#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command report_command();

}  // namespace tilescope::cli
