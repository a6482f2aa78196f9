// Which tile of C a CTA computes.
#pragma once

namespace tilescope::gpu {

struct TileIndex {
  int m;
  int n;
};

// Row order when `group` is 1. Otherwise `group` rows of tiles form a band that is walked column by column, so that the
// CTAs in flight together share more of A and B.
__device__ inline TileIndex tile_of_cta(int group) {
  if (group <= 1) {
    return {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)};
  }
  const int tiles_m = gridDim.y;
  const int tiles_n = gridDim.x;
  const int linear = blockIdx.y * tiles_n + blockIdx.x;
  const int first_m = linear / (group * tiles_n) * group;
  const int height = min(tiles_m - first_m, group);
  const int within = linear % (group * tiles_n);
  return {first_m + within % height, within / height};
}

}  // namespace tilescope::gpu
