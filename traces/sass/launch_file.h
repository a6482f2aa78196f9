// A launch file: which compiled kernel, how it is launched, and what its arguments are. Format: docs/sass.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "models/isa/kernel.h"
#include "models/support/diagnostic.h"
#include "traces/sass/launch_facts.h"
#include "traces/sass/limits.h"
#include "traces/sass/memory_image.h"
#include "traces/sass/program.h"

namespace tilescope::sass {

class FileSizes;
class ListingCache;

// A launch file read, its kernel decoded.
struct CompiledLaunch {
  Program program;
  Launch launch;
  DeviceMemory memory;
  std::size_t shared_bytes = 0;  // that a CTA may address
};

// How a launch file is read.
struct LaunchReading {
  enum class Depth : std::uint8_t {
    described,  // the file, its listing and the sizes of its contents
    decoded,    // and the kernel's instructions
    whole,      // and the contents: it can run
  };
  Depth depth = Depth::whole;
  bool all_values = false;  // execute every instruction, not only those that can reach an address
  Limits limits = {};
  std::string within = {};           // the folder that all files it names must lie in; "": anywhere
  ListingCache* listings = nullptr;  // shared with other launches; null: none
  FileSizes* sizes = nullptr;        // the same. REQUIRES: set unless the depth is `whole`
};

struct ReadLaunch {
  Diagnostics errors;                    // of the file, its listing and its contents
  Diagnostics refused;                   // what is correct and not modelled; none where there are errors
  LaunchFacts facts;                     // as far as there are no errors
  std::optional<CompiledLaunch> launch;  // of depth `whole`, without errors and refusals
};

// Every error of the file and of the listing it names.
ReadLaunch read_launch(const std::string& path, const LaunchReading& how);

// The kernel of a launch without errors and refusals.
std::unique_ptr<Kernel> kernel_of(CompiledLaunch launch);

// The same in one step: what is wrong and what is not modelled alike are errors.
tl::expected<CompiledLaunch, Diagnostics> read_launch_file(const std::string& path, bool all_values = false,
                                                           const Limits& limits = {});

// The kernel of a launch file, for the engine. `within`: LaunchReading's.
tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_file(const std::string& path, const Limits& limits = {},
                                                                    const std::string& within = "");
// The same of a launch file's text, as if it stood in the file `path`.
tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_launch_text(const std::string& text, const std::string& path,
                                                                    const Limits& limits = {},
                                                                    const std::string& within = "");

}  // namespace tilescope::sass
