// `--limit NAME=VALUE`: how much a compiled kernel may ask for before it is refused.
#pragma once

#include <boost/program_options.hpp>

#include "sim/cli/command.h"
#include "traces/sass/limits.h"

namespace tilescope::cli {

// Declares --limit, any number of times.
void add_limit_option(boost::program_options::options_description& options);

// The standard limits with every --limit applied; a wrong one is a UsageError.
sass::Limits limits_from(const Values& values);

}  // namespace tilescope::cli
