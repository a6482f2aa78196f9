// The static code of gemm_register. See gemm_register.h.
#pragma once

#include "traces/kernels/code_builder.h"
#include "traces/kernels/gemm_register.h"

namespace tilescope {

// `step` of an access is the load step (or k, for reads; or y, for C), `part` which of several in it.
enum GemmRegisterRole { kRegLoadA, kRegLoadB, kRegStoreA, kRegStoreB, kRegReadA, kRegReadB, kRegStoreC };

// Sections 0, 1, 2: prologue, main loop, epilogue.
void emit_gemm_register(CodeBuilder& code, const GemmRegisterSpec& spec);

// Elements of one shared-memory load of `count` neighbours that begin at a multiple of `count`.
constexpr int fragment_width(int count) { return count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1; }

}  // namespace tilescope
