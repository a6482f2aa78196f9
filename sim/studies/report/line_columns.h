// Counters and stalls of a launch by source line, or by instruction where no line is known, as columns: a report has
// many kernels, and most values of a line are zero.
#pragma once

#include <nlohmann/json.hpp>

#include "models/isa/kernel.h"
#include "sim/simulate.h"

namespace tilescope::report {

// {"by": "source" | "line", "of": 212, "rows": 40, "total_samples": ..., "columns": {"text": [...], "stall_cycles":
// {"wait": [...]}, ...}}: the `most` hottest lines, hottest first. Columns are the keys of a result's `lines`; those
// that hold nothing are left out.
nlohmann::ordered_json line_columns(const Kernel& kernel, const RunOutcome& outcome, std::size_t most);

}  // namespace tilescope::report
