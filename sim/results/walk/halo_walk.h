// The tile of an image that a CTA of a convolution loads into shared memory: tile x tile outputs and a halo of `radius`
// on every side. Which thread loads what in which round, and what the halo adds in elements and in sectors. Arithmetic
// alone; no kernel is run.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "traces/kernels/parameters.h"

namespace tilescope {

struct HaloRound {
  std::int64_t first = 0;    // element of the loaded square, row by row
  std::int64_t threads = 0;  // that load one, of tile * tile
  std::int64_t warps = 0;    // with such a thread
};

struct HaloWalk {
  std::int64_t tile = 0, radius = 0;
  std::int64_t side() const { return tile + 2 * radius; }
  std::int64_t elements() const { return side() * side(); }
  std::int64_t sectors = 0;        // of 32 bytes that the square touches, floats; its inner tile begins a sector
  std::int64_t inner_sectors = 0;  // of the tile without halo
  std::vector<HaloRound> rounds;   // thread t loads elements t, t + threads, ...
};

const std::vector<ParameterInfo>& halo_parameters();

// Every problem with the parameters, a sentence each.
tl::expected<HaloWalk, std::vector<std::string>> walk_halo(const ParameterTexts& parameters);

}  // namespace tilescope
