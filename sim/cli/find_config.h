// Built-in GPUs by name.
#pragma once

#include <string>
#include <vector>

namespace tilescope::cli {

// Where configs/ may be, best first: $TILESCOPE_CONFIGS alone if set, else ../share/tilescope/configs of the program,
// then the sources', then tilescope/configs of each of $XDG_DATA_DIRS.
std::vector<std::string> config_directories();

// The names of configs/gpus/*.yaml in the first of those directories that has any, sorted.
std::vector<std::string> gpu_names();

// The file of a GPU: `name_or_file` itself when it looks like a file (ends in .yaml or .yml, or has a slash), else the
// built-in of that name. Relative to the current directory where it lies below it. UsageError for an unknown name.
std::string find_gpu(const std::string& name_or_file);

// The shipped set of compiled kernels to tune among; "" where it is not installed. Relative as find_gpu()'s answer.
std::string find_tune_set();

}  // namespace tilescope::cli
