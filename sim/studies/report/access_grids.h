// What the memory accesses of a launch look like, lane by lane: which bank each lane's word is in and in which pass it
// is served; which words of which lines lanes ask for.
#pragma once

#include <nlohmann/json.hpp>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/simulate.h"

namespace tilescope::report {

// {"of": 9, "walked_ctas": 4, "grids": [{"access": "shared load", "shared": true, "place": {...}, "instructions",
// "requests", "cost", "ideal": of the launch, in wavefronts or sectors; "example": {"cost", "ideal", "bytes_per_lane",
// "lane": [...], "bank": [...], "pass": [...]}}]}; of global and local memory "line" and "word" in place of "bank" and
// "pass". Accesses of one source line are one grid. The `most` with the greatest excess over their ideal, then those
// that cost most. `outcome` is by instruction.
nlohmann::ordered_json access_grids(const GpuSpec& gpu, const Kernel& kernel, const RunOutcome& outcome,
                                    std::size_t most);

}  // namespace tilescope::report
