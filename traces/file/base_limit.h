// Which bases an operand of a given lane pattern may have: aligned to its width, and no lane past the end of 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/isa/lane_pattern.h"
#include "traces/file/bytes.h"

namespace tilescope::trace {

struct BaseLimit {
  std::uint64_t mask = 0;                  // bits that must be 0
  std::uint64_t most = ~std::uint64_t{0};  // byte address

  bool allows(std::uint64_t base) const { return (base & mask) == 0 && base <= most; }
};

inline BaseLimit base_limit(const LanePattern& pattern) {
  if (pattern.active == 0) return {};
  const std::int64_t span = *std::max_element(pattern.offset.begin(), pattern.offset.end()) + pattern.bytes;
  return {pattern.bytes - std::uint64_t{1}, ~std::uint64_t{0} - static_cast<std::uint64_t>(span)};
}

[[noreturn]] inline void refuse_base(std::uint64_t base, const BaseLimit& limit) {
  throw Malformed{"an address is " + std::to_string(base) + "; must be a multiple of " +
                  std::to_string(limit.mask + 1) + " and its last lane below 2^64"};
}

}  // namespace tilescope::trace
