// `KERNEL` and `-p KEY=VALUE`, for every command that works on a kernel; `gemm_tiled:swizzle=xor,tile=16` is a kernel
// with parameters of its own.
#pragma once

#include <boost/program_options.hpp>
#include <memory>
#include <string>

#include "models/isa/kernel.h"
#include "sim/cli/command.h"
#include "traces/kernels/parameters.h"

namespace tilescope::cli {

// Declares --param/-p, any number of times.
void add_parameter_option(boost::program_options::options_description& options);

// What a KERNEL asks for: NAME, or NAME:KEY=VALUE,KEY=VALUE where `has_parameters` knows NAME, with every -p; own
// parameters replace those of -p with the same name.
struct NamedParameters {
  std::string name;
  ParameterTexts parameters;
};
// Throws UsageError and DiagnosticsError.
NamedParameters named_parameters(const Values& values, const std::string& word,
                                 bool (*has_parameters)(const std::string&));

// The kernel of `word`: open_kernel() with every -p; own parameters replace those of -p with the same name. Throws
// UsageError, and DiagnosticsError with everything that is wrong.
std::unique_ptr<Kernel> kernel_of_argument(const Values& values, const std::string& word);

}  // namespace tilescope::cli
