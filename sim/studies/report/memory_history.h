// What L2 and HBM did over a launch's time.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/engine/launch_history.h"

namespace tilescope::report {

// {"sm_mhz": 1980, "window_cycles": 512, "until": [...], "l2_read_sectors": [...], "l2_read_hit_sectors": [...],
// "hbm_read_bytes": [...], "hbm_write_bytes": [...]}: what was counted in each window; window i begins at i times
// `window_cycles`, `until` is the cycle in which it ends. null: nothing was timed. Of a sampled run it is the launch's
// beginning.
nlohmann::ordered_json memory_history(const LaunchHistory& history, double sm_mhz);

}  // namespace tilescope::report
