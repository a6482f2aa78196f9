// The instructions with which a kernel finds the tile of its CTA, for raster orders other than the hardware's own.
//
// `grouped` is what nvcc makes of two integer divisions by run-time values (reciprocal in FP32, one correction step
// each); `column` is one such division; `morton` is bit interleaving. The count, not the value, matters to a memory
// model.
#pragma once

#include "traces/kernels/code_builder.h"
#include "traces/raster.h"

namespace tilescope {

void emit_raster(CodeBuilder& code, Raster raster);

}  // namespace tilescope
