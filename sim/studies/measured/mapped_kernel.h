// What a measured row is mapped to: a built-in kernel with parameters, or compiled code with a launch file of its own.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "models/isa/kernel.h"
#include "traces/kernels/parameters.h"

namespace tilescope {

struct MappedKernel {
  std::string kernel;              // built-in, or a name for the family that compiled code belongs to
  ParameterTexts parameters;       // of a built-in kernel
  std::string launch;              // text of a launch file; "": a built-in kernel
  std::string launch_beside = {};  // the file whose folder its paths start from
  std::string launch_within = {};  // the folder that they may not leave; "": they may be anywhere
  auto operator<=>(const MappedKernel&) const = default;
};

// The kernel, or one sentence on what is wrong with it.
tl::expected<std::unique_ptr<Kernel>, std::string> make_kernel(const MappedKernel& mapped);

}  // namespace tilescope
