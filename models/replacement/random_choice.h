// Random replacement: ways that were never touched first, then any. The random numbers are the same in every run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/replacement/way.h"
#include "models/support/bit_mixer.h"

namespace tilescope {

class RandomChoice {
 public:
  // REQUIRES: ways <= 64.
  RandomChoice(std::size_t sets, std::size_t ways) : ways_(ways), touched_(sets) {}

  void touch(std::size_t set, std::size_t way) { touched_[set] |= 1ULL << way; }

  void announce(std::size_t set) const { __builtin_prefetch(&touched_[set], 1); }

  // The first way never touched for which `may_evict(way)` holds, else one drawn at random among those for which it
  // does; kNoWay when there is none.
  template <class MayEvict>
  std::size_t victim(std::size_t set, MayEvict may_evict) {
    std::uint64_t allowed = 0;
    for (std::size_t way = 0; way < ways_; ++way)
      if (may_evict(way)) allowed |= 1ULL << way;
    if (allowed == 0) return kNoWay;
    if (const std::uint64_t empty = allowed & ~touched_[set]; empty != 0)
      return static_cast<std::size_t>(std::countr_zero(empty));
    auto skip = scale_to(mix_bits(++draws_), static_cast<std::uint64_t>(std::popcount(allowed)));
    for (; skip > 0; --skip) allowed &= allowed - 1;
    return static_cast<std::size_t>(std::countr_zero(allowed));
  }

 private:
  std::size_t ways_;
  std::uint64_t draws_ = 0;
  std::vector<std::uint64_t> touched_;  // by set, one bit per way
};

}  // namespace tilescope
