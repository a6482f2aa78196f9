// What the lanes of a memory instruction read or write, in the space that the executor found for them.
#pragma once

#include <cstddef>

#include "traces/sass/micro_op.h"

namespace tilescope::sass {

// Loads and stores of the lanes of `mask`, at WarpState::address. MicroOp::flags: bytes, 256 added when sign-extended;
// first_out, first_in: their registers. Nothing happens in a space whose contents nobody needs.
void load_lanes(WarpState& warp, const MicroOp& op, std::uint32_t mask);
// A load of floating-point numbers: those that nobody has recorded or stored are made up, and noted in
// LaunchState::unrecorded, which is not null.
void load_floating_lanes(WarpState& warp, const MicroOp& op, std::uint32_t mask);
void store_lanes(WarpState& warp, const MicroOp& op, std::uint32_t mask);

// One lane's 4 or 8 bytes in global or shared memory; where to change them, null outside of memory. REQUIRES:
// warp.memory.
const std::uint8_t* place_to_read(WarpState& warp, int lane, std::size_t bytes);
std::uint8_t* place_to_write(WarpState& warp, int lane, std::size_t bytes);

}  // namespace tilescope::sass
