// The program without its process: finds the subcommand, runs it, prints what went wrong, chooses the exit code.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tilescope::cli {

// `arguments` without the program's name. Never throws.
int run_program(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace tilescope::cli
