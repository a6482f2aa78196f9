// KERNEL, as every command and every study takes it: a built-in kernel with parameters, compiled code with a launch
// file, a launch of a bundle, or a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "models/isa/kernel.h"
#include "models/support/diagnostic.h"
#include "traces/kernels/parameters.h"
#include "traces/sass/limits.h"

namespace tilescope {

enum class KernelKind : std::uint8_t { builtin, launch_file, bundle, trace };

// By the name first (a built-in one, a folder with or without "#LAUNCH", "*.yaml", "*.yml", "*.tst"), then by how the
// file of that name begins. What is
// nothing of the kind counts as a built-in name: open_kernel() says that it is none.
KernelKind kernel_kind(const std::string& name);

// The kernel, or everything that is wrong with it. Only built-in kernels have parameters; for others any is an error.
// `limits`: of compiled code. Never throws for what a file or a parameter says.
tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_kernel(const std::string& name,
                                                               const ParameterTexts& parameters = {},
                                                               const sass::Limits& limits = {});

// The kernel of a launch file's text, as if it stood in the file `path`; with `within`, the files that it names must
// lie in that folder.
tl::expected<std::unique_ptr<Kernel>, Diagnostics> open_kernel_text(const std::string& launch, const std::string& path,
                                                                    const std::string& within = "");

// What is wrong with a kernel in one line, for a table or a stored reason: the sentences without their places.
std::string joined_messages(const Diagnostics& diagnostics);

}  // namespace tilescope
