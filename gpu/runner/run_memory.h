// Runs, checks and times one case of a memory kernel.
#pragma once

#include "../kernels/memory.h"
#include "row.h"

namespace tilescope::gpu {

struct PlannedMemoryCase {
  std::string kernel;
  std::string parameters;  // NAME=VALUE;..., defaults filled in
  MemoryLaunch launch;
};

// Throws std::invalid_argument with one sentence a line for every setting that the kernel does not have or take.
PlannedMemoryCase plan_memory(const std::vector<MemoryKernel>& table, const Case& c);

Row run_memory(const PlannedMemoryCase& c, const Options& options);

}  // namespace tilescope::gpu
