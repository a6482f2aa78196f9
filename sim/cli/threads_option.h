// `--threads N`, for every command that works on several.
#pragma once

#include <boost/program_options.hpp>

#include "sim/cli/command.h"

namespace tilescope::cli {

// Declares --threads. `meaning` stands in the help.
void add_threads_option(boost::program_options::options_description& options, const char* meaning);

// The value of --threads, or as many as the machine has. UsageError unless a whole number from 1 to 1024.
int threads_from(const Values& values);

}  // namespace tilescope::cli
