#include "models/isa/lane_pattern.h"

#include <algorithm>
#include <limits>

namespace tilescope {

BasedPattern make_pattern(const std::array<std::uint64_t, kLanes>& address, std::uint32_t active, int bytes) {
  BasedPattern result;
  result.pattern.active = active;
  result.pattern.bytes = static_cast<std::uint8_t>(bytes);
  if (active == 0) return result;

  std::uint64_t base = std::numeric_limits<std::uint64_t>::max();
  if (active == ~std::uint32_t{0}) {  // by far the most, without a question per lane
    for (const std::uint64_t one : address) base = std::min(base, one);
    for (std::size_t i = 0; i < kLanes; ++i) result.pattern.offset[i] = static_cast<std::int64_t>(address[i] - base);
    result.base = base;
    return result;
  }
  for (int lane = 0; lane < kLanes; ++lane)
    if (result.pattern.is_active(lane)) base = std::min(base, address[static_cast<std::size_t>(lane)]);
  for (int lane = 0; lane < kLanes; ++lane)
    if (result.pattern.is_active(lane)) {
      const auto i = static_cast<std::size_t>(lane);
      result.pattern.offset[i] = static_cast<std::int64_t>(address[i] - base);
    }
  result.base = base;
  return result;
}

}  // namespace tilescope
