#include "sim/cli/banks_command.h"
#include "sim/cli/bundle_command.h"
#include "sim/cli/calibrate_command.h"
#include "sim/cli/command.h"
#include "sim/cli/compare_command.h"
#include "sim/cli/completion_command.h"
#include "sim/cli/config_command.h"
#include "sim/cli/explain_command.h"
#include "sim/cli/list_command.h"
#include "sim/cli/man_command.h"
#include "sim/cli/plot_command.h"
#include "sim/cli/report_command.h"
#include "sim/cli/run_command.h"
#include "sim/cli/sweep_command.h"
#include "sim/cli/trace_command.h"
#include "sim/cli/tune_command.h"
#include "sim/cli/walk_command.h"

namespace tilescope::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      run_command(),   explain_command(), walk_command(),       list_command(),      banks_command(), config_command(),
      trace_command(), bundle_command(),  compare_command(),    calibrate_command(), sweep_command(), plot_command(),
      tune_command(),  report_command(),  completion_command(), man_command()};
  return all;
}

}  // namespace tilescope::cli
