// L1 of Hopper: the lines of a set's last hits, two, stay. Of the others the one goes that was touched longest ago,
// where a line that is no longer one of the last hits counts as touched when it ceased to be one. A line that comes is
// no hit. Two hits on one line in a row leave no room for another.
//
// So lines that are read once put each other out and leave those alone that were read again, and a line that nobody
// reads any more keeps its place until its set has two more hits. Without kept hits the rule is that of least recently
// used. Source: gpu/microbench/l1_policy.cu, H200 and H100: all of 3,600 loads of up to 14 lines of one set, in random
// orders, hit and miss as this says (least recently used: 331 do not).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/replacement/least_recently_used.h"
#include "models/replacement/way.h"

namespace tilescope {

class LastHitsKept {
 public:
  static constexpr std::size_t kMost = 2;

  // `kept`: hits whose lines stay. REQUIRES: ways <= 128; kept <= kMost.
  LastHitsKept(std::size_t sets, std::size_t ways, std::size_t kept) : kept_(kept), lru_(sets, ways) {
    if (kept != 0) hits_.assign(sets, Hits{kNone, kNone});
  }

  // A hit.
  void touch(std::size_t set, std::size_t way) {
    if (kept_ != 0) {
      Hits& hits = hits_[set];
      const Place leaves = hits[kept_ - 1];
      if (kept_ == kMost) hits[1] = hits[0];
      hits[0] = static_cast<Place>(way);
      if (leaves != kNone && leaves != hits[0] && leaves != hits[1]) lru_.touch(set, leaves);
    }
    lru_.touch(set, way);
  }
  // Another line takes the way.
  void claimed(std::size_t set, std::size_t way) {
    if (kept_ != 0)
      for (Place& hit : hits_[set]) hit = hit == way ? kNone : hit;
    lru_.touch(set, way);
  }

  void announce(std::size_t set) const { lru_.announce(set); }

  // A way for which `may_evict(way)` holds, if there is one: none of the last hits', unless no other may go.
  template <class MayEvict>
  std::size_t victim(std::size_t set, MayEvict may_evict) const {
    if (kept_ == 0) return lru_.victim(set, may_evict);
    const std::size_t way =
        lru_.victim(set, [&](std::size_t candidate) { return !keeps(set, candidate) && may_evict(candidate); });
    return way == kNoWay ? lru_.victim(set, may_evict) : way;
  }

 private:
  using Place = std::uint8_t;  // a way
  static constexpr Place kNone = 255;
  using Hits = std::array<Place, kMost>;  // the last first

  bool keeps(std::size_t set, std::size_t way) const { return hits_[set][0] == way || hits_[set][1] == way; }

  std::size_t kept_;
  LeastRecentlyUsed lru_;
  std::vector<Hits> hits_;  // by set
};

}  // namespace tilescope
