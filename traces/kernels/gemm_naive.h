// The naive GEMM as nvcc compiles it (gpu/kernels/gemm_naive.cuh): one output per thread, every operand from global
// memory.
//
// The loop over K runs 16 steps at a time, then once 8, then 4, then single ones: the compiler unrolls it by 4 in its
// middle end and by 4 again in the assembler. Neighbouring lanes own neighbouring columns of C (lanes=col: B and C
// coalesce) or rows (lanes=row: A and C touch one line per lane). Threads outside C exit at once.
#pragma once

#include <vector>

#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/generated_kernel.h"

namespace tilescope {

struct GemmNaiveSpec {
  GemmProblem problem;
  int block_x = 16, block_y = 16;
  bool lanes_along_rows = false;
};

class GemmNaive final : public GeneratedKernel {
 public:
  explicit GemmNaive(const GemmNaiveSpec& spec);

 private:
  struct Planned {
    int section;
    std::int64_t repeats;
    std::int64_t first_k;
  };
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmNaiveSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;         // x along the fast index
  std::int64_t fast_, slow_;  // extents of C along threadIdx.x and threadIdx.y
  std::vector<Planned> route_;
  int exit_section_ = -1;
  std::vector<std::vector<char>> idle_;  // by shape and warp: no element of C
};

}  // namespace tilescope
