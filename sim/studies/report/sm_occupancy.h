// How many CTAs each SM held, over time.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/engine/finished_cta.h"

namespace tilescope::report {

// {"ctas": 4096, "of": 4096, "sms": 132, "bin_cycles": 1024, "bins": 90, "most_ctas": 2, "cta_cycles": [[...], ...]}:
// by SM and bin of time the cycles that CTAs stayed there, summed over CTAs; divided by `bin_cycles`, the CTAs held.
// SMs that held none are rows of zeros. As many bins as `most_cells` allows, from 8 to 96. null: no CTA was timed.
nlohmann::ordered_json sm_occupancy(const std::vector<FinishedCta>& timeline, std::int64_t ctas_of_launch,
                                    std::int64_t sms, std::size_t most_cells);

}  // namespace tilescope::report
