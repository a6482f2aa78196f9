// `gemm_tiled:swizzle=xor,tile=16`: a kernel with parameters of its own, for commands that take several.
#pragma once

#include <memory>
#include <string>

#include "models/isa/kernel.h"
#include "sim/cli/command.h"

namespace tilescope::cli {

// The kernel of `word`. Its own parameters replace those of -p with the same name; a name that holds a file (a trace)
// has none. Throws UsageError and what kernel_from throws.
std::unique_ptr<Kernel> kernel_of_argument(const Values& values, const std::string& word);

}  // namespace tilescope::cli
