// `--gpu` and `--set`, for every command that works on a GPU.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/override.h"
#include "sim/cli/command.h"

namespace tilescope::cli {

// Declares --gpu (h200 unless given) and --set (any number of times).
void add_gpu_options(boost::program_options::options_description& options);
// The same for commands that answer for several: --gpu any number of times.
void add_several_gpus_options(boost::program_options::options_description& options);
void add_set_option(boost::program_options::options_description& options);

// The values of --set. DiagnosticsError with all that are no PATH=VALUE.
std::vector<Override> overrides_from(const Values& values);

// The GPU of --gpu with --set applied; errors as UsageError (unknown name) or DiagnosticsError (wrong file or
// override).
GpuSpec gpu_from(const Values& values);

// Those of add_several_gpus_options(), each with --set applied, in their order; at least one.
std::vector<GpuSpec> gpus_from(const Values& values);

// The same for a name or file given otherwise.
GpuSpec read_gpu(const std::string& name_or_file, const std::vector<Override>& overrides = {});

}  // namespace tilescope::cli
