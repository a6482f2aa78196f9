// From a subcommand's words to its values; everything wrong with them becomes a UsageError.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/support/accepted.h"
#include "sim/cli/command.h"
#include "sim/simulate.h"

namespace tilescope::cli {

// Knows --help besides the command's own options; with it, nothing else is checked.
Values parse(const Command& command, const std::vector<std::string>& arguments);

// The word of `values` that chooses among `actions` ("check", "show", ...).
std::string chosen(const Values& values, const std::string& word, const std::vector<std::string>& actions);
// --sample.
Sample chosen_sample(const Values& values);
// --cache-control.
void add_cache_control_option(boost::program_options::options_description& options);
CacheControl chosen_cache_control(const Values& values);

// The words of an option that may be repeated; none where it is not given.
std::vector<std::string> words_of(const Values& values, const char* option);

// The value of --OPTION; `standard` where it is not given. UsageError unless a whole number in the range.
std::int64_t whole_number(const Values& values, const char* option, std::int64_t standard, Range<std::int64_t> range);

// The text of `tilescope COMMAND --help`.
std::string help_text(const Command& command);

// The text of `tilescope --help`.
std::string help_text();

}  // namespace tilescope::cli
