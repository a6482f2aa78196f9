// `KERNEL` and `-p KEY=VALUE`, for every command that works on a kernel.
#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <string>

#include "models/isa/kernel.h"
#include "sim/cli/command.h"

namespace tilescope::cli {

// Declares --param/-p, any number of times.
void add_parameter_option(boost::program_options::options_description& options);

// A built-in kernel with its -p applied, or a trace (`*.tst`, or any file that begins as one), which takes no -p.
// Throws DiagnosticsError with everything that is wrong.
std::unique_ptr<Kernel> kernel_from(const Values& values, const std::string& name);

}  // namespace tilescope::cli
