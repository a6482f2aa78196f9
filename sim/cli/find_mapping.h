// Mappings from measured kernels to built-in ones, by name.
#pragma once

#include <string>

#include "sim/cli/command.h"
#include "sim/studies/measured/kernel_mapping.h"

namespace tilescope::cli {

// Declares --mapping (default unless given).
void add_mapping_option(boost::program_options::options_description& options);

// The mapping of --mapping: a file (ends in .yaml or .yml, or has a slash) or mappings/NAME.yaml, where built-in GPUs
// are found. UsageError for an unknown name, DiagnosticsError for a wrong file.
KernelMapping mapping_from(const Values& values);

}  // namespace tilescope::cli
