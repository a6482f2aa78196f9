#include "models/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "models/shared_banks.h"

namespace tilescope {

Footprint global_footprint(const LanePattern& pattern, int base_in_line) {
  Footprint result;
  std::vector<std::array<std::uint32_t, kSectorsPerLine>> written;  // bit b: byte b of the sector; beside result.lines
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane)) continue;
    const std::int64_t first = base_in_line + pattern.offset[static_cast<std::size_t>(lane)];
    const std::int64_t line = first / kLineBytes;
    const auto sector = static_cast<std::size_t>(first / kSectorBytes % kSectorsPerLine);
    auto found =
        std::find_if(result.lines.begin(), result.lines.end(), [&](const LineSectors& l) { return l.line == line; });
    if (found == result.lines.end()) {
      found = result.lines.insert(result.lines.end(), LineSectors{line, 0, 0});
      written.emplace_back();
    }
    found->sectors = static_cast<std::uint8_t>(found->sectors | 1U << sector);
    const std::uint32_t bytes = ((1U << pattern.bytes) - 1U) << (first % kSectorBytes);
    std::uint32_t& covered = written[static_cast<std::size_t>(found - result.lines.begin())][sector];
    covered |= bytes;
    if (covered == ~0U) found->whole = static_cast<std::uint8_t>(found->whole | 1U << sector);
  }
  for (const LineSectors& line : result.lines) result.sectors += std::popcount(static_cast<unsigned>(line.sectors));
  result.data_wavefronts = shared_cost(pattern, SharedOp::store).wavefronts;
  return result;
}

}  // namespace tilescope
