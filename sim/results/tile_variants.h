// The same built-in kernel with other tiles: what its occupancy is held against.
#pragma once

#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/results/occupancy_report.h"

namespace tilescope {

// Of a launch of a built-in kernel that has tiles, all other parameters as they are; empty for others. Tiles that its
// parameters do not allow are left out, those that no SM can hold are not.
std::vector<OccupancyCase> tile_variants(const GpuSpec& gpu, const Launch& launch);

}  // namespace tilescope
