// What `tilescope trace info` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "traces/file/trace_info.h"

namespace tilescope::cli {

// kernel              gemm_tiled
// grid, block         32x32x1 CTA of 32x32x1 threads
// ...
// class               warp instructions
// fma                        33,554,432  31.2 %
std::string trace_info_table(const TraceInfo& info);

// {"schema": "tilescope.trace/1", "kernel": ..., "launch": {...}, "trace": {...}, "instructions_by_class": {...}}
nlohmann::ordered_json trace_info_json(const TraceInfo& info);

}  // namespace tilescope::cli
