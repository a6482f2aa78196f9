// Step 7: the pipelined GEMM under a grouped raster: CTAs in flight together cover a band of `group` rows of tiles, so
// that they share more of A and B in L2. Tiles in shared memory are permuted by XOR or padded.
#pragma once

#include "pipeline_tile.cuh"
#include "raster.cuh"

namespace tilescope::gpu {

// Requires m, n and k to be multiples of the tile.
template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES, bool PADDED>
__global__ void __launch_bounds__(PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED>::kThreads)
    gemm_grouped(const char* __restrict__ a, const char* __restrict__ b, uint2* __restrict__ c, int m, int n, int k,
                 int group) {
  const int pitch = k * bytes_of(TYPE);
  const TileIndex at = tile_of_cta(group);
  PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES, PADDED> tile;
  tile.shared = ring_address();
  tile.clear();
  tile.run(a + static_cast<std::size_t>(at.m) * BM * pitch, b + static_cast<std::size_t>(at.n) * BN * pitch, pitch,
           pitch / BYTES);
  c += (static_cast<std::size_t>(at.m) * BM * n + at.n * BN) / 2;
  tile.each_pair([&](int row, int column, unsigned first, unsigned second) {
    c[(row * n + column) / 2] = make_uint2(first, second);
  });
}

}  // namespace tilescope::gpu
