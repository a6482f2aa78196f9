// A table of results in the formats of `tilescope sweep export`: docs/sweep.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/studies/sweep/sweep_table.h"

namespace tilescope::sweep {

// A header of "name [unit]", then one line per point.
std::string table_csv(const SweepTable& table);

// {"schema": "tilescope.sweep/1", "units": {...}, "points": [{"study": ..., "kernel": ..., "parameters": {...}, ...}]}
nlohmann::ordered_json table_json(const SweepTable& table);

}  // namespace tilescope::sweep
