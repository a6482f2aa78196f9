// Completion scripts for shells, from the option tables.
#pragma once

#include <string>

namespace tilescope::cli {

std::string bash_completion();
std::string zsh_completion();

}  // namespace tilescope::cli
