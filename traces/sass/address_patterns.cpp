#include "traces/sass/address_patterns.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

namespace tilescope::sass {
namespace {

void check_alignment(std::uint64_t bits, int bytes) {
  if ((bits & static_cast<std::uint64_t>(bytes - 1)) != 0)
    throw std::runtime_error(fmt::format("misaligned address: not a multiple of {} byte", bytes));
}

}  // namespace

MemoryOperand operand_of(PatternTable& patterns, const std::array<std::uint64_t, kLanes>& address, std::uint32_t active,
                         int bytes, PatternId& last) {
  if (active == 0) return {};
  const LanePattern& known = patterns.pattern(last);
  if (known.active == active && known.bytes == bytes) {
    const auto first = static_cast<std::size_t>(std::countr_zero(active));
    const std::uint64_t base = address[first] - static_cast<std::uint64_t>(known.offset[first]);
    std::uint64_t differs = 0;
    if (active == ~std::uint32_t{0}) {
      for (std::size_t l = 0; l < kLanes; ++l)
        differs |= (address[l] - base) ^ static_cast<std::uint64_t>(known.offset[l]);
    } else {
      for (std::size_t l = 0; l < kLanes; ++l)
        differs |=
            ((address[l] - base) ^ static_cast<std::uint64_t>(known.offset[l])) & (0 - std::uint64_t{active >> l & 1U});
    }
    if (differs == 0) {
      check_alignment(base, bytes);
      return {base, last};
    }
  }
  std::uint64_t all = 0;
  for (std::size_t l = 0; l < kLanes; ++l)
    if ((active >> l & 1U) != 0) all |= address[l];
  check_alignment(all, bytes);
  const MemoryOperand operand = patterns.operand(address, active, bytes);
  last = operand.pattern;
  return operand;
}

}  // namespace tilescope::sass
