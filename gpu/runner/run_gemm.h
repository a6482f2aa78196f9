// Runs, checks and times one GEMM case.
#pragma once

#include "../kernels/instances.h"
#include "row.h"

namespace tilescope::gpu {

std::vector<Instance> gemm_instances();

// The case's kernel. Throws std::invalid_argument with one sentence if there is none, or it does not take the sizes.
const Instance& find_gemm(const std::vector<Instance>& table, const Case& c);

Row run_gemm(const Case& c, const Instance& instance, const Options& options);

}  // namespace tilescope::gpu
