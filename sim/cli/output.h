// `-o FILE`: where a command's answer goes.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <ostream>
#include <string>

#include "sim/cli/command.h"

namespace tilescope::cli {

// Declares --output/-o.
void add_output_option(boost::program_options::options_description& options);

// Calls `write` with the file of -o, or with `out` where there is none (or it is "-"). The file is opened first, so
// that a wrong path is refused (UsageError) before any work, and appears only when `write` has returned: whole or not
// at all.
void with_output(const Values& values, std::ostream& out, const std::function<void(std::ostream&)>& write);

}  // namespace tilescope::cli
