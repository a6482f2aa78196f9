// A walk through a small GEMM as text, JSON and frames of a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/results/walk/gemm_walk.h"

namespace tilescope {

// phase 1 of 2: k = 0 to 1
//
//     A                     B
//   [  1   2]  3   4      [  1   2]  3   4
//   [  5   6]  7   8      [  5   6]  7   8
//      9  10  11  12         9  10  11  12
//     13  14  15  16        13  14  15  16
//
//   load     A[0..1][0..1] into shared memory: lane 0 A[0][0], lane 1 A[0][1], lane 2 A[1][0], lane 3 A[1][1]
//   ...
std::string walk_text(const GemmWalk& walk);
// "schema": "tilescope.walk/1"; docs/walk.md.
nlohmann::ordered_json walk_json(const GemmWalk& walk);
// One picture, a frame for each phase below the one before.
std::string walk_svg(const GemmWalk& walk);

}  // namespace tilescope
