// How much shared memory a kernel touches, for listings that do not say how much it declares.
#pragma once

#include "traces/sass/memory_image.h"
#include "traces/sass/program.h"

namespace tilescope::sass {

// One byte past the highest that the first CTA addresses, 0 when it addresses none.
std::int64_t shared_extent(const Program& program, DeviceMemory& memory, std::size_t shared_bytes);

}  // namespace tilescope::sass
