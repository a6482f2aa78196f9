// The tile of a convolution with its halo as text, JSON and a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/results/walk/halo_walk.h"

namespace tilescope {

// 34 x 34 elements for 32 x 32 outputs: 12.9 % more than the outputs (6.25 % along one side)
std::string halo_text(const HaloWalk& halo);
// "schema": "tilescope.walk_halo/1".
nlohmann::ordered_json halo_json(const HaloWalk& halo);
// The loaded square, element by element, coloured by round.
std::string halo_svg(const HaloWalk& halo);

}  // namespace tilescope
