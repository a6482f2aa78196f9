#include "models/atomic_footprint.h"

#include <algorithm>

namespace tilescope {
namespace {

constexpr int kCompareBytes = 64;  // of one of its values, handled together

}  // namespace

AtomicFootprint::AtomicFootprint(const LanePattern& pattern, std::uint64_t base, AtomicKind kind) {
  const auto in_line = static_cast<std::int64_t>(base % static_cast<std::uint64_t>(kLineBytes));
  const std::uint32_t one = (1U << std::max(1, pattern.bytes / 4)) - 1;
  const int group = kind == AtomicKind::compare ? std::min(kLanes, kCompareBytes / pattern.bytes) : kLanes;
  for (int first = 0; first < kLanes; first += group) {
    std::uint32_t left = pattern.active & static_cast<std::uint32_t>(((std::uint64_t{1} << group) - 1) << first);
    for (; left != 0; ++passes_) {
      const std::size_t begin = count_;
      std::uint32_t taken = 0;
      for (int lane = first; lane < first + group; ++lane) {
        if ((left >> lane & 1U) == 0) continue;
        const std::int64_t at = in_line + pattern.offset[static_cast<std::size_t>(lane)];
        bool repeated = false;
        for (int other = first; other < lane && !repeated; ++other)
          repeated = (taken >> other & 1U) != 0 &&
                     pattern.offset[static_cast<std::size_t>(other)] == pattern.offset[static_cast<std::size_t>(lane)];
        if (repeated) continue;
        taken |= 1U << lane;
        const std::int64_t line = at / kLineBytes;
        std::size_t p = begin;
        while (p < count_ && packets_[p].line != line) ++p;
        const SectorMask sector = SectorMask::of(static_cast<std::size_t>(at / kSectorBytes % kSectorsPerLine));
        const auto place = static_cast<std::uint8_t>(at % kLineBytes / 4);
        const std::uint32_t words = one << place;
        if (p == count_)
          packets_[count_++] = {line, sector, true, place, words};
        else
          packets_[p] = {line, packets_[p].sectors | sector, false, packets_[p].place, packets_[p].words | words};
      }
      left &= ~taken;
      for (std::size_t p = begin; p < count_; ++p) sectors_ += packets_[p].sectors.count();
    }
  }
}

}  // namespace tilescope
