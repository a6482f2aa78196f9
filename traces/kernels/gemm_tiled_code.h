// The static code of gemm_tiled. See gemm_tiled.h.
#pragma once

#include "traces/kernels/code_builder.h"
#include "traces/kernels/gemm_tiled.h"

namespace tilescope {

enum GemmTiledRole { kTiledLoadA, kTiledLoadB, kTiledStoreA, kTiledStoreB, kTiledReadA, kTiledReadB, kTiledStoreC };

// Indices of sections; -1 where the kernel has none.
struct GemmTiledSections {
  int prologue = -1, main = -1;
  int rest_check = -1;            // after the main loop: is anything left?
  int two = -1, one_check = -1;   // halving: two tiles, then the question again
  int one = -1;                   // one tile: once, or a loop
  int epilogue = -1, leave = -1;  // store C; leave without
};

GemmTiledSections emit_gemm_tiled(CodeBuilder& code, const GemmTiledSpec& spec);

}  // namespace tilescope
