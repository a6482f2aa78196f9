// Spreads numbers that look alike: lines over slices and channels, runs of lines over sets.
#pragma once

#include <cstdint>

namespace tilescope {

// A bijective mixer (the finaliser of MurmurHash3).
constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xFF51AFD7ED558CCDULL;
  value ^= value >> 33U;
  value *= 0xC4CEB9FE1A85EC53ULL;
  value ^= value >> 33U;
  return value;
}

// A number in [0, count) from the upper half of a mixed value.
constexpr std::uint64_t scale_to(std::uint64_t mixed, std::uint64_t count) { return (mixed >> 32U) * count >> 32U; }

}  // namespace tilescope
