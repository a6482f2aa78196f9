// Not recently used, one bit per way. A touch sets the way's bit; when all bits of a set are set, the others are
// cleared; one of the ways whose bit is clear goes: the first (nru_first) or any (nru_random, A100). Evidence, A100
// (tests/data/published_curves.csv): from 40 to 62 MB the pointer chase follows, within 4 % in latency, a random choice
// among the ways not recently used; with the first such way it would be all HBM at 47 MB. Hopper replaces by age
// (least_recently_used.h). tests/slow/curves_test.cpp holds the figures.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/replacement/way.h"
#include "models/support/bit_mixer.h"

namespace tilescope {

class NotRecentlyUsed {
 public:
  enum class Victim : std::uint8_t { first, random };

  // REQUIRES: ways <= 64.
  NotRecentlyUsed(std::size_t sets, std::size_t ways, Victim victim)
      : all_(ways == 64 ? ~0ULL : (1ULL << ways) - 1), victim_(victim), recent_(sets) {}

  void touch(std::size_t set, std::size_t way) {
    const std::uint64_t bit = 1ULL << way;
    recent_[set] |= bit;
    if (recent_[set] == all_) recent_[set] = bit;
  }

  void announce(std::size_t set) const { __builtin_prefetch(&recent_[set], 1); }

  // A way not recently used for which `may_evict(way)` holds, else any other; kNoWay when there is none.
  template <class MayEvict>
  std::size_t victim(std::size_t set, MayEvict may_evict) {
    std::uint64_t left = all_ & ~recent_[set];
    if (victim_ == Victim::random && left != 0)
      for (auto skip = scale_to(mix_bits(++draws_), static_cast<std::uint64_t>(std::popcount(left))); skip > 0; --skip)
        left &= left - 1;
    for (const std::uint64_t candidates : {left, all_})
      for (std::uint64_t rest = candidates; rest != 0; rest &= rest - 1)
        if (const auto way = static_cast<std::size_t>(std::countr_zero(rest)); may_evict(way)) return way;
    return kNoWay;
  }

 private:
  std::uint64_t all_;
  Victim victim_;
  std::uint64_t draws_ = 0;            // mixed, they are the random numbers: the same in every run
  std::vector<std::uint64_t> recent_;  // by set, one bit per way
};

}  // namespace tilescope
