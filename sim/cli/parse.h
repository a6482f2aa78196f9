// From a subcommand's words to its values; everything wrong with them becomes a UsageError.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/simulate.h"

namespace tilescope::cli {

// Knows --help besides the command's own options; with it, nothing else is checked.
Values parse(const Command& command, const std::vector<std::string>& arguments);

// The word of `values` that chooses among `actions` ("check", "show", ...).
std::string chosen(const Values& values, const std::string& word, const std::vector<std::string>& actions);
// --sample.
Sample chosen_sample(const Values& values);

// The text of `tilescope COMMAND --help`.
std::string help_text(const Command& command);

// The text of `tilescope --help`.
std::string help_text();

}  // namespace tilescope::cli
