// The static code of copy and strided as nvcc 13.0 -O3 makes it for sm_90, instruction by instruction. See copy.h.
#pragma once

#include "traces/kernels/code_builder.h"

namespace tilescope {

enum CopyRole { kCopyLoad, kCopyStore };
enum CopySection { kCopyBody, kCopyLast, kCopyLeave };

// Three elements, the fourth, and the first section again for warps that end there.
void emit_copy(CodeBuilder& code);
// Section 0 is all of it.
void emit_strided(CodeBuilder& code);

}  // namespace tilescope
