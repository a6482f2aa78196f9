// Where the text of a compiled kernel comes from: a listing, or a cubin and nvdisasm.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"
#include "traces/sass/limits.h"

namespace tilescope::sass {

// The text of a listing, or why it can not be read.
tl::expected<std::string, Diagnostic> read_listing_file(const std::string& path, const Limits& limits);

// The output of `nvdisasm -hex -g CUBIN`. nvdisasm is looked for in $TILESCOPE_NVDISASM, on the PATH, in $CUDA_HOME/bin
// and in /usr/local/cuda/bin. Or one sentence why not.
tl::expected<std::string, std::string> disassemble(const std::string& cubin, const Limits& limits);

}  // namespace tilescope::sass
