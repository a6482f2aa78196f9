#include "models/copy_passes.h"

#include <algorithm>
#include <bit>

namespace tilescope {

int copy_passes(const LanePattern& global, const LanePattern& shared, const SharedBanks& banks) {
  const int width = std::min(kLanes, banks.banks() * banks.bytes() / global.bytes);
  const auto banks_at = [&](std::int64_t byte) {
    const std::int64_t first = byte / banks.bytes(), count = std::max(1, global.bytes / banks.bytes());
    std::uint64_t mask = 0;
    for (std::int64_t word = first; word < first + count; ++word) mask |= std::uint64_t{1} << (word % banks.banks());
    return mask;
  };
  int passes = 0;
  for (int first = 0; first < kLanes; first += width) {
    std::uint32_t waiting = global.active & shared.active & (width == kLanes ? ~0U : (1U << width) - 1U) << first;
    while (waiting != 0) {
      ++passes;
      std::uint64_t read = 0, written = 0;
      for (std::uint32_t lanes = waiting; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        const std::uint64_t from = banks_at(global.offset[lane]), to = banks_at(shared.offset[lane]);
        if ((from & read) == 0 && (to & written) == 0) waiting &= ~(1U << lane);
        read |= from;
        written |= to;
      }
    }
  }
  return passes;
}

}  // namespace tilescope
