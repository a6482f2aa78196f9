// What a memory instruction of a generated kernel touches, as the kernel itself names it.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/lane_pattern.h"

namespace tilescope {

// Names one memory operand inside a kernel; what the numbers mean is the kernel's business. `edge` marks the operands
// of the section that touches the ragged end of a dimension.
struct Access {
  int role = 0;  // which array, load or store: an enumeration of the kernel
  int step = 0;  // which of several (tile of an unrolled loop, k step, row)
  int part = 0;  // which within the step
  bool edge = false;
  int turn = 0;  // which of several tiles in shared memory that take turns
};

inline constexpr int kShared = -1;  // LaneAddresses::buffer of shared memory
inline constexpr int kBuffers = 4;  // global buffers of a kernel at most

// The lanes of one operand. Addresses in a global buffer are offsets (byte) from the base that the section begins with;
// those in shared memory are offsets in the CTA's shared memory.
struct LaneAddresses {
  int buffer = kShared;
  int bytes = 4;
  std::uint32_t active = 0;
  std::array<std::int64_t, kLanes> offset{};

  void set(int lane, std::int64_t byte) {
    active |= 1U << static_cast<unsigned>(lane);
    offset[static_cast<std::size_t>(lane)] = byte;
  }
};

}  // namespace tilescope
