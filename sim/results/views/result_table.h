// Results as a table, one column per kernel:
//
//   throughput
//     time                      318.5  us
//     performance               6.743  TFLOP/s
//     of peak                    10.1  %
//   shared memory
//     load wavefronts      50,331,648
//     conflicts                     0
//   ...
//   bottleneck: shared-memory data stage: 93 % of its wavefront peak; bank conflicts add 0 %
//
// Groups whose values are all zero or unknown (shared memory of a kernel that has none) are left out.
#pragma once

#include <string>
#include <vector>

#include "sim/results/views/result_csv.h"

namespace tilescope {

// REQUIRES: at least one result.
std::string result_table(const std::vector<LabelledResult>& results);

// The kernel, the GPU and the parameters: whole lines.
std::string result_heading(const Result& result);

// "sampled: 12 % of the warp instructions timed; cycles 1,234,567 (± 2.1 %, 90 % interval)"
std::string how_it_ran(const Result& result);

// "approximations:" and a line for each sentence; "" where there is none. Every line begins with `indent`.
std::string approximation_lines(const Result& result, const std::string& indent);

}  // namespace tilescope
