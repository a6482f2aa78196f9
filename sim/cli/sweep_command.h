#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope sweep STUDY.yaml` and its actions: run, plan, merge, export, show, diff, submit.
Command sweep_command();

}  // namespace tilescope::cli
