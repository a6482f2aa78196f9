#pragma once

#include "sim/cli/command.h"

namespace tilescope::cli {

// `tilescope trace record|info|validate`
Command trace_command();

}  // namespace tilescope::cli
