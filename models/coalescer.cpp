#include "models/coalescer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/partial_words.h"

namespace tilescope {
namespace {

std::vector<LineBanks> line_banks(const LanePattern& pattern, int base_in_line, const SharedBanks& banks,
                                  const std::vector<LineSectors>& lines) {
  const int lanes_of_phase = std::min(kLanes, banks.banks() * banks.bytes() / pattern.bytes);
  const int words = std::max(1, pattern.bytes / banks.bytes());
  std::vector<LineBanks> result(lines.size());
  std::size_t at = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane)) continue;
    const std::int64_t first = base_in_line + pattern.offset[static_cast<std::size_t>(lane)];
    while (lines[at].line != first / kLineBytes) at = at + 1 == lines.size() ? 0 : at + 1;
    const auto phase = static_cast<std::size_t>(lane / lanes_of_phase);
    for (int i = 0; i < words; ++i)
      result[at][std::min(phase, result[at].size() - 1)] |= std::uint64_t{1}
                                                            << ((first / banks.bytes() + i) % banks.banks());
  }
  return result;
}

}  // namespace

Footprint global_footprint(const LanePattern& pattern, int base_in_line, const SharedBanks& banks) {
  std::array<LineSectors, kLanes> lines{};
  std::array<std::array<std::uint32_t, kSectorsPerLine>, kLanes> written{};  // bit b: byte b of the sector
  std::size_t count = 0, at = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!pattern.is_active(lane)) continue;
    const std::int64_t first = base_in_line + pattern.offset[static_cast<std::size_t>(lane)];
    const std::int64_t line = first / kLineBytes;
    const auto sector = static_cast<std::size_t>(first / kSectorBytes % kSectorsPerLine);
    if (count == 0 || lines[at].line != line) {
      at = 0;
      while (at < count && lines[at].line != line) ++at;
      if (at == count) lines[count++].line = line;
    }
    LineSectors& found = lines[at];
    found.sectors |= SectorMask::of(sector);
    const std::uint32_t bytes = ((1U << pattern.bytes) - 1U) << (first % kSectorBytes);
    std::uint32_t& covered = written[at][sector];
    covered |= bytes;
    if (covered == ~0U) found.whole |= SectorMask::of(sector);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (const std::size_t sector : lines[i].sectors)
      for (unsigned word = 0; word < PartialWords::kPerSector; ++word)
        if ((written[i][sector] >> (4 * word) & 0xFU) == 0xFU)
          lines[i].words |= 1U << (sector * PartialWords::kPerSector + word);
  Footprint result;
  result.lines.assign(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count));
  for (const LineSectors& line : result.lines) result.sectors += static_cast<std::int32_t>(line.sectors.count());
  result.data_wavefronts = banks.cost(pattern, SharedOp::store, static_cast<std::uint64_t>(base_in_line)).wavefronts;
  if (count > 1) {
    std::vector<LineBanks> of_lines = line_banks(pattern, base_in_line, banks, result.lines);
    std::int32_t apart = 0;
    for (std::size_t i = 0; i < count; ++i) apart += passes_of(of_lines, 1U << i);
    if (apart > result.data_wavefronts) result.banks = std::move(of_lines);
  }
  return result;
}

}  // namespace tilescope
