#include "models/copy_passes.h"

#include <algorithm>
#include <bit>

namespace tilescope {

int copy_passes(const LanePattern& global, int base_in_line, const LanePattern& shared, const SharedBanks& banks) {
  const int width = std::min(kLanes, banks.banks() * banks.bytes() / global.bytes);
  int passes = 0;
  for (int first = 0; first < kLanes; first += width) {
    std::uint32_t rest = global.active & shared.active & (width == kLanes ? ~0U : (1U << width) - 1U) << first;
    while (rest != 0) {
      const auto line_of = [&](int lane) {
        return (base_in_line + global.offset[static_cast<std::size_t>(lane)]) / kLineBytes;
      };
      const std::int64_t line = line_of(std::countr_zero(rest));
      LanePattern together = shared;
      together.active = 0;
      for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1)
        if (const int lane = std::countr_zero(lanes); line_of(lane) == line) together.active |= 1U << lane;
      rest &= ~together.active;
      passes += banks.cost(together, SharedOp::store).wavefronts;
    }
  }
  return passes;
}

}  // namespace tilescope
