// The static code of transpose as nvcc 13.0 -O3 makes it for sm_90: with one row per thread and with four in order,
// number and kind of instructions, up to two that it merges or swaps; other numbers of rows follow the same pattern.
#pragma once

#include "traces/kernels/code_builder.h"
#include "traces/kernels/transpose.h"

namespace tilescope {

// `step` of an access is the row.
enum TransposeRole { kTransposeLoad, kTransposePut, kTransposeGet, kTransposeStore };

// Without bounds one section. With bounds: all but the last store, with it, and the first section for warps that leave
// before the last store.
enum TransposeSection { kTransposeBody, kTransposeLast, kTransposeLeave };

void emit_transpose(CodeBuilder& code, const TransposeSpec& spec);

}  // namespace tilescope
