// The 32 addresses of one warp-wide memory instruction, as a base plus a pattern.
//
// Kernels use few patterns and many bases: a GEMM of any size has about a dozen. Everything a pattern costs (bank
// wavefronts, sectors, lines, tag cycles) depends on the pattern, the access width and the base modulo a line only, so
// it is worked out once per pattern and looked up afterwards.
#pragma once

#include <array>
#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

inline constexpr int kLanes = 32;

// REQUIRES: bytes is 1, 2, 4, 8 or 16; the address of every active lane is a multiple of it.
struct LanePattern {
  std::array<std::int64_t, kLanes> offset{};  // byte, from the base; 0 in inactive lanes
  std::uint32_t active = 0;                   // bit i: lane i takes part
  std::uint8_t bytes = 4;                     // byte per lane: 1, 2, 4, 8, 16

  bool is_active(int lane) const { return (active >> lane & 1U) != 0; }
  bool operator==(const LanePattern&) const = default;
};

using PatternId = std::uint32_t;

// One executed memory instruction of one warp. `base` is the lowest address of an active lane, in byte.
struct MemoryOperand {
  std::uint64_t base = 0;
  PatternId pattern = 0;
  bool operator==(const MemoryOperand&) const = default;
};

// Splits 32 byte addresses into a base (the lowest active one) and a pattern of non-negative offsets.
// `base` is 0 when no lane is active.
struct BasedPattern {
  std::uint64_t base = 0;
  LanePattern pattern;
};
BasedPattern make_pattern(const std::array<std::uint64_t, kLanes>& address, std::uint32_t active, int bytes);

}  // namespace tilescope
