// The steps of a tree of additions as text, JSON and a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/results/walk/tree_walk.h"

namespace tilescope {

// sequential: thread t below s adds value t + s to its own, s = 16, 8, ...
//   step  stride  threads  warps  divergent  value 0  threads 0 to 31, those that add
//      1      16       16      1          1        18  ################................
std::string tree_text(const TreeWalks& tree);
// "schema": "tilescope.walk_tree/1".
nlohmann::ordered_json tree_json(const TreeWalks& tree);
// A row for each step, a box for each thread (above 256, for each warp).
std::string tree_svg(const TreeWalks& tree);

}  // namespace tilescope
