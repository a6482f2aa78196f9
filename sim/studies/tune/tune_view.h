// What a search found, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/studies/tune/search.h"

namespace tilescope::tune {

// 4096 x 4096 x 4096 in f32 on NVIDIA H200 SXM: the best of 312 configurations
// counting  312 tried, 24 kept
// fast      24 tried, 4 kept
// auto      4 tried
//
//     configuration               us  TFLOP/s  slower  CTAs/SM  waves  limit      timed  why
//  1  gemm_register:bm=128,... 3,780     36.3                2    3.9  registers  auto   ...
std::string tune_text(const Tuned& tuned);
// "schema": "tilescope.tune/1"; docs/result-format.md.
nlohmann::ordered_json tune_json(const Tuned& tuned);

}  // namespace tilescope::tune
