// Least recently used: the way that was touched longest ago goes. A cache under it that is larger in ways never misses
// more. The L1's policy: published pointer chases fall off as a cyclic walk over LRU sets does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/replacement/way.h"

namespace tilescope {

class LeastRecentlyUsed {
 public:
  LeastRecentlyUsed(std::size_t sets, std::size_t ways) : ways_(ways), used_(sets * ways) {}

  void touch(std::size_t set, std::size_t way) { used_[set * ways_ + way] = ++clock_; }

  void announce(std::size_t set) const { __builtin_prefetch(&used_[set * ways_], 1); }

  // The least recently used way for which `may_evict(way)` holds; kNoWay when none does.
  template <class MayEvict>
  std::size_t victim(std::size_t set, MayEvict may_evict) const {
    const std::uint64_t* used = &used_[set * ways_];
    std::size_t oldest = kNoWay;
    for (std::size_t way = 0; way < ways_; ++way)
      if ((oldest == kNoWay || used[way] < used[oldest]) && may_evict(way)) oldest = way;
    return oldest;
  }

 private:
  std::size_t ways_;
  std::uint64_t clock_ = 0;  // touches
  std::vector<std::uint64_t> used_;
};

}  // namespace tilescope
