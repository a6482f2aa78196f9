// A result as JSON, schema "tilescope.result/1": docs/result-format.md.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/results/result.h"

namespace tilescope {

// What is not known (timing metrics in counts mode) is left out; wall_seconds alone is null until somebody fills it.
nlohmann::ordered_json result_json(const Result& result);

}  // namespace tilescope
