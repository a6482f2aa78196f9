// Reads a .tst trace: the kernel that was recorded, segment for segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/isa/kernel.h"

namespace tilescope {

// Verifies the whole file's structure and checksums first: a damaged file fails here. Streams decompress blocks as they
// need them and share them; they throw TraceError for contents that no writer makes or a file that changed meanwhile. A
// stream fills every operand, whatever Operands it was started with. Throws TraceError.
std::unique_ptr<Kernel> open_trace(const std::string& path);

// As open_trace, and decodes every warp. Throws TraceError.
void validate_trace(const std::string& path);

// Whether the file begins as a trace does; false also when it cannot be read.
bool is_trace(const std::string& path);

}  // namespace tilescope
