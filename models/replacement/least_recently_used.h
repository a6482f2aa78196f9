// Least recently used: the way that was touched longest ago goes. A cache under it that is larger in ways never misses
// more. Evidence:
// - L1: published pointer chases fall off as a cyclic walk over LRU sets does.
// - Hopper's L2 (gpu/microbench/l2_replacement.cu, H200 and H100): lines that are read again and again, with others
//   read between two passes, are lost as far as both together exceed the room, whatever their shares: of 30, 45 and 60
//   % with 50, 40 and 30 % between them alike; of 110 % nothing is found again in 23 passes, unless SMs drift apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/replacement/way.h"

namespace tilescope {

class LeastRecentlyUsed {
 public:
  // REQUIRES: ways <= 128.
  LeastRecentlyUsed(std::size_t sets, std::size_t ways) : ways_(ways), used_(sets * (ways + 1)) {}

  void touch(std::size_t set, std::size_t way) {
    Stamp* const used = of(set);
    if (used[ways_] == kLatest) renumber(used);
    used[way] = ++used[ways_];
  }

  void announce(std::size_t set) const { __builtin_prefetch(of(set), 1); }

  // The least recently used way for which `may_evict(way)` holds; kNoWay when none does.
  template <class MayEvict>
  std::size_t victim(std::size_t set, MayEvict may_evict) const {
    const Stamp* const used = of(set);
    std::size_t oldest = kNoWay;
    for (std::size_t way = 0; way < ways_; ++way)
      if ((oldest == kNoWay || used[way] < used[oldest]) && may_evict(way)) oldest = way;
    return oldest;
  }

 private:
  using Stamp = std::uint8_t;
  static constexpr Stamp kLatest = 255;

  Stamp* of(std::size_t set) { return &used_[set * (ways_ + 1)]; }
  const Stamp* of(std::size_t set) const { return &used_[set * (ways_ + 1)]; }

  // Gives the ways of a set the stamps from 1 on, in their order; those never touched keep 0.
  void renumber(Stamp* used) const {
    Stamp ranks[kLatest + 1] = {};  // of each stamp
    for (std::size_t way = 0; way < ways_; ++way) ranks[used[way]] = 1;
    ranks[0] = 0;
    for (std::size_t stamp = 1; stamp <= kLatest; ++stamp)
      ranks[stamp] = static_cast<Stamp>(ranks[stamp] + ranks[stamp - 1]);
    for (std::size_t way = 0; way < ways_; ++way) used[way] = ranks[used[way]];
    used[ways_] = ranks[kLatest];
  }

  std::size_t ways_;
  std::vector<Stamp> used_;  // when each way of a set was touched, by the set's clock, and the clock
};

}  // namespace tilescope
