// Simulates what was measured: each distinct kernel once, several at a time, every simulation on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/results/result.h"
#include "sim/studies/measured/matched_rows.h"

namespace tilescope {

struct CaseRun {
  std::optional<Result> result;
  std::string refused;  // why the GPU can not launch it, or the launch of a bundle can not run: there is no result
};

struct CaseRuns {
  std::vector<CaseRun> runs;        // of the distinct kernels, in the rows' order
  std::vector<std::size_t> of_row;  // index into runs
};

// `options.threads` simulations at once; the answer does not depend on it. `options.on_progress`, which may throw to
// stop, is called from the calling thread. Throws what simulate() throws, of the first case by the rows' order.
CaseRuns run_cases(const GpuSpec& gpu, const std::vector<MatchedRow>& rows, const RunOptions& options);

// Warp instructions of the launch: as measured, else those of its first CTA times its CTAs; 0 of a launch of a bundle.
double warp_instructions(const MatchedRow& row);

}  // namespace tilescope
