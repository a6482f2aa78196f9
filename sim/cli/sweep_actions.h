// The actions of `tilescope sweep`; each has its own file.
#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

Command sweep_run_command();
Command sweep_plan_command();
Command sweep_merge_command();
Command sweep_export_command();
Command sweep_show_command();
Command sweep_diff_command();
Command sweep_submit_command();

}  // namespace tilescope::cli
