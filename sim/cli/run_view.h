// `tilescope run KERNEL... --view roofline|occupancy|traffic`: pictures of runs instead of their tables.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/cli/command.h"
#include "sim/results/views/roofline_view.h"
#include "sim/simulate.h"

namespace tilescope::cli {

struct NamedKernel {
  std::string word;  // as the user wrote it
  std::unique_ptr<Kernel> kernel;
};

// Refuses what a view does not go with, before any work.
void check_view_options(const Values& values, const RunOptions& options, std::size_t gpus);

// The kernels that ran, under the roofs of the GPU.
RooflineView roofline_of(const std::vector<NamedKernel>& kernels, const GpuSpec& gpu, const RunOptions& options);

// Answers with one view of all kernels.
int run_view(const Values& values, const std::vector<NamedKernel>& kernels, const GpuSpec& gpu, RunOptions options,
             std::ostream& out);

}  // namespace tilescope::cli
