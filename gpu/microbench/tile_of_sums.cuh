// The sums of a tile as the warps of a wgmma or mma.sync GEMM hold and store them: each warp 16 rows of 128 floats, 8
// bytes a lane, 32 bytes of each of eight rows with one instruction.
#pragma once

#include <cstddef>

namespace tilescope::gpu {

constexpr int kTileRows = 16;  // of a warp
constexpr int kTileColumns = 128;

// Stores the rows from `first_row` on, which lie `pitch` bytes apart, a multiple of 8.
__device__ inline void store_tile_of_sums(float2* to, int pitch, int first_row, int lane) {
  const int row = first_row + lane / 4;
  float2* const at = to + (static_cast<std::size_t>(row) * pitch + lane % 4 * 8) / 8;
#pragma unroll
  for (int i = 0; i < kTileColumns / 8; ++i) {
    at[i * 4] = make_float2(i, lane);
    at[pitch + i * 4] = make_float2(lane, i);
  }
}

}  // namespace tilescope::gpu
