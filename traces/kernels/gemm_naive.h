// The naive GEMM as nvcc compiles it (gpu/kernels/gemm_naive.cuh): one output per thread, every operand from global
// memory. The code is that of the compiled kernel (compiled_sample.h), whatever the block.
//
// Neighbouring lanes own neighbouring columns of C (lanes=col: B and C coalesce) or rows (lanes=row: A and C touch one
// line per lane). Threads outside C exit at once.
#pragma once

#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/sampled_kernel.h"

namespace tilescope {

struct GemmNaiveSpec {
  GemmProblem problem;
  int block_x = 16, block_y = 16;
  bool lanes_along_rows = false;
};

class GemmNaive final : public SampledKernel {
 public:
  explicit GemmNaive(const GemmNaiveSpec& spec);

 private:
  CtaPlace place(std::int64_t cta) const override;
  std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmNaiveSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;  // x along the fast index
};

}  // namespace tilescope
