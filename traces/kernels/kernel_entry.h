// One row of the registry: a kernel's description and how it is made. Each generator family has a file *_entries.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/kernels/generated_kernel.h"
#include "traces/kernels/registry.h"

namespace tilescope {

struct KernelEntry {
  KernelInfo info;
  // Null when something is wrong, with the sentences appended to `problems`.
  std::unique_ptr<GeneratedKernel> (*make)(const Parameters& parameters, std::vector<std::string>& problems);
};

std::vector<KernelEntry> gemm_entries();
std::vector<KernelEntry> memory_entries();

}  // namespace tilescope
