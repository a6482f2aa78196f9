// The textbook shared-memory GEMM as nvcc compiles it (gpu/kernels/gemm_tiled.cuh): a T x T tile of A and of B in
// shared memory, one output per thread, and the layouts people try for A's tile.
//
//   plain        sA[ty][tx]   read sA[ty][k], vectorised along k as far as the row pitch allows (shared_read_width)
//   transpose_a  sA[tx][ty]   read sA[k][ty]: the store walks down a column
//   swizzle xor  sA[tx][ty ^ tx] read sA[k][ty ^ k]: transposed, without padding; T must be a power of two
// B's tile is always sB[ty][tx], read sB[k][tx] with 32 bits. Pads are words between rows.
//
// The code is that of the compiled instance of this layout (compiled_sample.h); where none was compiled, that of the
// nearest one, reshaped (reshape.h).
#pragma once

#include <string>

#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/sampled_kernel.h"

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

class GemmTiled final : public SampledKernel {
 public:
  // REQUIRES: values in range; bounds if a dimension is no multiple of the tile.
  // `sample`: the compiled layout whose code is used; empty: the nearest one. `listing`: which has it, if not the
  // family's.
  explicit GemmTiled(const GemmTiledSpec& spec, const std::string& sample = "",
                     const CompiledListing* listing = nullptr);

  // The symbol of the compiled function that is nearest to a layout, of all but `without`.
  static std::string nearest_sample(const GemmTiledSpec& spec, const std::string& without = "");

 private:
  CtaPlace place(std::int64_t cta) const override;
  std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmTiledSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
};

}  // namespace tilescope
