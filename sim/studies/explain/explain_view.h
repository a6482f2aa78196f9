// An explanation as text, JSON and pictures of its accesses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/studies/explain/explanation.h"

namespace tilescope::explain {

// gemm_tiled:transpose_a=1 on NVIDIA H200 SXM: 114,832 cycles, 58 us
// bottleneck: shared-memory data stage: 91 % of its wavefront peak; bank conflicts add 31 %
//
// 1. bank conflicts: up to 25.1 % of the cycles
//    gemm_tiled.cuh:35  sA[tx][ty] = a_value;
//    shared store: 32.00 wavefronts per request, 1.00 would do (...)
//    32 words of bank 0 are asked for at once: neighbouring lanes are 128 B apart, ...
//    ...
//    bound  without these conflicts  86,035  25.1 %
//    fix    pad_a=1                  86,035  25.1 %  +128 B  worth it
std::string explain_text(const Explanation& explanation);
// "schema": "tilescope.explain/1"; docs/result-format.md.
nlohmann::ordered_json explain_json(const Explanation& explanation);
// A grid for each finding that is an access: lanes x banks, or lines x words.
std::string explain_svg(const Explanation& explanation);

// "bank conflicts"
std::string title_of(Problem problem);
// "gemm_tiled.cuh:35  sA[tx][ty] = a_value;", "LDS R4, [R2] at 0x1a0 and 3 more"
std::string place_text(const Place& place);

}  // namespace tilescope::explain
