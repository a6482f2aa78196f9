// The built-in kernels by name, with their parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/isa/kernel.h"
#include "traces/kernels/parameters.h"

namespace tilescope {

struct KernelInfo {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterInfo> parameters;
};

// In the order in which `tilescope list kernels` shows them.
std::vector<KernelInfo> builtin_kernels();
bool is_builtin_kernel(const std::string& name);

// The kernel, or every problem with what was asked, one sentence each: the value seen and what is accepted.
// Launches that no GPU can hold are made all the same: the occupancy model says which limit they break.
tl::expected<std::unique_ptr<Kernel>, std::vector<std::string>> make_kernel(const std::string& name,
                                                                            const ParameterTexts& parameters);

}  // namespace tilescope
