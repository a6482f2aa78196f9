// The static code of gemm_naive. See gemm_naive.h.
#pragma once

#include "traces/kernels/code_builder.h"
#include "traces/raster.h"

namespace tilescope {

enum GemmNaiveRole { kNaiveLoadA, kNaiveLoadB, kNaiveStoreC };

struct GemmNaiveSections {
  int enter, leave;           // index arithmetic and the bounds check; the same for a warp that exits there
  int start, start_unrolled;  // K below 4 goes straight to the single steps
  int enter_sixteen, sixteen;
  int check_eight, eight;
  int check_four, four;
  int check_one, setup_one, one;
  int store;
};

GemmNaiveSections emit_gemm_naive(CodeBuilder& code, Raster raster);

}  // namespace tilescope
