// The textbook shared-memory GEMM as nvcc compiles it (gpu/kernels/gemm_tiled.cuh): a T x T tile of A and of B in
// shared memory, one output per thread, and the layouts people try for A's tile.
//
//   plain        sA[ty][tx]   read sA[ty][k], vectorised along k as far as the row pitch allows (shared_read_width)
//   transpose_a  sA[tx][ty]   read sA[k][ty]: the store walks down a column
//   swizzle xor  sA[tx][ty ^ tx] read sA[k][ty ^ k]: transposed, without padding; T must be a power of two
// B's tile is always sB[ty][tx], read sB[k][tx] with 32 bits. Pads are words between rows.
#pragma once

#include <vector>

#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/generated_kernel.h"

namespace tilescope {

struct GemmTiledSpec {
  GemmProblem problem;
  int tile = 32;  // T: 2 to 32
  int pad_a = 0, pad_b = 0;
  bool transpose_a = false;
  bool swizzle = false;  // implies transpose_a
  bool bounds = false;   // checks every load and store; needed when M, N or K is no multiple of T
};

// Elements that one shared-memory load fetches along a row of pitch `pitch_words`, beginning at word `k` of `length`: 4
// where the pitch keeps every row aligned to 16 B and four are left, else 2 for 8 B, else 1. Source: nvcc 13.0 on the
// kernel above.
int shared_read_width(int pitch_words, int k, int length);

// How the compiler unrolls the loop over tiles; gemm_tiled_code.cpp says how that was found.
struct TileLoop {
  int unroll = 1;        // tiles in one pass of the main loop
  bool halving = false;  // the rest is done by a pass of 2 and a pass of 1 tile instead of a loop of 1
};
TileLoop tile_loop(const GemmTiledSpec& spec);

class GemmTiled final : public GeneratedKernel {
 public:
  // REQUIRES: values in range; bounds if a dimension is no multiple of the tile.
  explicit GemmTiled(const GemmTiledSpec& spec);

 private:
  struct Planned {
    int section;
    std::int64_t repeats;
    std::int64_t first_tile;
  };
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  bool in_bounds(int shape, std::int64_t tx, std::int64_t ty) const;
  void add_run(int section, std::int64_t repeats, int tiles);
  void split_last_run();

  GemmTiledSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
  std::vector<Planned> route_;
  std::vector<int> tiles_of_;  // tiles in one run of each section
  std::int64_t planned_tiles_ = 0;
  int exit_section_ = -1;                // for warps without an element of C
  std::vector<std::vector<char>> idle_;  // by shape and warp: no element of C
};

}  // namespace tilescope
