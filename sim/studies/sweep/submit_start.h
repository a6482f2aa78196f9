// Writes a submission's scripts into its directory and starts them.
#pragma once

#include <ostream>
#include <string>

#include "sim/studies/sweep/submit_scripts.h"

namespace tilescope::sweep {

// Makes the directory and the scripts in it, executable. Throws std::system_error with the path in what().
void write_scripts(const Submission& submission);

// Runs the directory's start.sh to its end, what it prints going to `out`; its exit code, 128 + n when signal n ended
// it. Throws std::system_error when no process can be made.
int run_start_script(const std::string& directory, std::ostream& out);

}  // namespace tilescope::sweep
