#include "sim/cli/sweep_command.h"

#include "sim/cli/sweep_actions.h"

namespace tilescope::cli {

Command sweep_command() {
  Command command = sweep_run_command();
  command.actions = {command,
                     sweep_plan_command(),
                     sweep_merge_command(),
                     sweep_export_command(),
                     sweep_show_command(),
                     sweep_diff_command(),
                     sweep_submit_command()};
  command.name = "sweep";
  command.usage = "sweep STUDY.yaml [options]";
  return command;
}

}  // namespace tilescope::cli
