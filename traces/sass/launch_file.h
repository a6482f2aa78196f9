// A launch file: which compiled kernel, how it is launched, and what its arguments are. Format: docs/sass.md.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "models/isa/kernel.h"
#include "models/support/diagnostic.h"
#include "traces/sass/limits.h"
#include "traces/sass/memory_image.h"
#include "traces/sass/program.h"

namespace tilescope::sass {

// A launch file read, its kernel decoded.
struct CompiledLaunch {
  Program program;
  Launch launch;
  DeviceMemory memory;
  std::size_t shared_bytes = 0;  // that a CTA may address
};

// Every error of the file and of the listing it names. `all_values`: execute every instruction, not only those that can
// reach an address.
tl::expected<CompiledLaunch, Diagnostics> read_launch_file(const std::string& path, bool all_values = false,
                                                           const Limits& limits = {});

// The kernel of a launch file, for the engine.
tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_file(const std::string& path, const Limits& limits = {});
// The same of a launch file's text, as if it stood in the file `path`.
tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_text(const std::string& text, const std::string& path,
                                                                    const Limits& limits = {});

}  // namespace tilescope::sass
