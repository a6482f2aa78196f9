// The tiled GEMM with cp.async as nvcc compiles it (gpu/kernels/gemm_async.cuh): two T x T tiles of A and of B in
// shared memory; while one pair is multiplied, the next one is copied from global memory without passing through
// registers. One output per thread. VECTOR is the floats of one copy: 1 (through L1; every thread copies one of A and
// one of B) or 4 (past L1; the first T * T / 4 threads copy A, as many behind them B).
//
// The code is that of the compiled instance of this tile (compiled_sample.h); where none was compiled, that of the
// nearest one, reshaped (reshape.h).
#pragma once

#include <string>

#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/sampled_kernel.h"

namespace tilescope {

struct GemmAsyncSpec {
  GemmProblem problem;
  int tile = 32;  // T: a multiple of 4, up to 32
  int vector = 4;
  int architecture = 90;  // whose code: 80 or 90

  int copies() const { return tile * tile / vector; }  // of one tile
};

class GemmAsync final : public SampledKernel {
 public:
  // REQUIRES: M, N and K multiples of the tile.
  // `sample`: the compiled instance whose code is used; empty: the nearest one. `listing`: which has it, if not the
  // family's.
  explicit GemmAsync(const GemmAsyncSpec& spec, const std::string& sample = "",
                     const CompiledListing* listing = nullptr);

  // The symbol of the compiled function that is nearest to a tile, of all but `without`.
  static std::string nearest_sample(const GemmAsyncSpec& spec, const std::string& without = "");

 private:
  CtaPlace place(std::int64_t cta) const override;
  std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmAsyncSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
};

}  // namespace tilescope
