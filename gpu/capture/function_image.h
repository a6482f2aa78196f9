// The part of a cubin that one kernel needs, as a cubin of its own: its code, the functions that the code names, their
// facts, constants and shared memory. A library's cubin has thousands of kernels; a disassembler takes minutes and
// gigabytes for it.
#pragma once

#include <cstdint>
#include <vector>

#include "cubin.h"

namespace tilescope::capture {

// Without variables, only code, its facts and constants. The numbers of sections and symbols stay those of `cubin`;
// what is left out becomes empty. REQUIRES: `function` is a number of cubin.symbols().
std::vector<std::uint8_t> function_image(const Cubin& cubin, std::uint32_t function, bool with_variables = true);

}  // namespace tilescope::capture
