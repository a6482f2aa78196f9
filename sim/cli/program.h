// The program without its process: finds the subcommand, runs it, prints what went wrong, chooses the exit code.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tilescope::cli {

// The exit code of the command that `arguments` (without the program's name) ask for, whose answer goes to `out`. What
// is wrong is thrown: UsageError, DiagnosticsError, or another std::exception.
int answer(const std::vector<std::string>& arguments, std::ostream& out);

// The same; prints what is wrong. Never throws.
int run_program(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace tilescope::cli
