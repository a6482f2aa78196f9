// Which words of a line are written of sectors that are written in part, for the lines of one partition of the L2. What
// is written of a word in part does not count.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "models/support/units.h"

namespace tilescope {

class PartialWords {
 public:
  static constexpr unsigned kPerSector = kSectorBytes / 4;
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};  // of a line

  // Of `sectors`, those all of whose words are among `words`, a bit for each word of the line.
  static SectorMask whole(SectorMask sectors, std::uint32_t words) {
    SectorMask result;
    for (const std::size_t s : sectors)
      if ((words >> (s * kPerSector) & kSector) == kSector) result |= SectorMask::of(s);
    return result;
  }

  // More words of these sectors are written. Returns the sectors that are whole with that.
  SectorMask add(LineAddress line, SectorMask sectors, std::uint32_t words) {
    return whole(sectors, written_[line.number()] |= words & bits(sectors));
  }
  // These sectors are whole, or gone; `rest`: others of the line are still written in part.
  void forget(LineAddress line, SectorMask sectors, bool rest) {
    if (!rest)
      written_.erase(line.number());
    else if (const auto found = written_.find(line.number()); found != written_.end())
      found->second &= ~bits(sectors);
  }

 private:
  static constexpr std::uint32_t kSector = (1U << kPerSector) - 1;
  static std::uint32_t bits(SectorMask sectors) {
    std::uint32_t result = 0;
    for (const std::size_t s : sectors) result |= kSector << (s * kPerSector);
    return result;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> written_;  // by the line's number
};

}  // namespace tilescope
