// What one lane of a memory instruction reads or writes, in the space that the executor found for it.
#pragma once

#include <cstddef>

#include "traces/sass/warp_state.h"

namespace tilescope::sass {

// At WarpState::address[lane]. REQUIRES: warp.memory, or for local memory warp.local, is there.
void read_lane(const WarpState& warp, int lane, void* to, std::size_t bytes);
void write_lane(WarpState& warp, int lane, const void* from, std::size_t bytes);

}  // namespace tilescope::sass
