// Set-associative tags of a sectored cache. L1 and both partitions of L2 are built on it.
//
// A way holds a 128 B line of which any of the four sectors may be present. What a sector's arrival means (pending
// fills in L1, data in flight in L2) is the owner's business: each way carries a `Payload` for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/bit_mixer.h"
#include "models/replacement.h"
#include "models/set_index.h"

namespace tilescope {

template <class Payload, class Replacement>
class SectoredTags {
 public:
  static constexpr std::uint64_t kEmpty = ~0ULL;

  struct Way {
    std::uint64_t line = kEmpty;
    Payload payload{};
  };

  // REQUIRES: ways > 0; `replacement` was made for as many sets as `index` tells apart, and for as many ways.
  SectoredTags(std::size_t sets, std::size_t ways, SetIndex index, Replacement replacement)
      : index_(index), ways_(ways), replacement_(std::move(replacement)), way_(sets * ways) {}

  // The way that holds the line, touched; null when absent.
  Way* find(std::uint64_t line) {
    const std::size_t set = index_(line);
    Way* first = &way_[set * ways_];
    for (std::size_t way = 0; way < ways_; ++way)
      if (first[way].line == line) {
        replacement_.touch(set, way);
        return first + way;
      }
    return nullptr;
  }

  // The way of the line's set that goes next, among those for which `may_evict(way)` holds; null when none does.
  // The caller looks at what it evicts and then calls `claim`.
  template <class MayEvict>
  Way* victim(std::uint64_t line, MayEvict may_evict) {
    const std::size_t set = index_(line);
    Way* first = &way_[set * ways_];
    const std::size_t way = replacement_.victim(set, [&](std::size_t w) { return may_evict(first[w]); });
    return way == kNoWay ? nullptr : first + way;
  }

  // Gives a way to a line, which counts as a touch.
  void claim(Way& way, std::uint64_t line) {
    way.line = line;
    way.payload = Payload{};
    const auto at = static_cast<std::size_t>(&way - way_.data());
    replacement_.touch(at / ways_, at % ways_);
  }

  std::size_t lines() const { return way_.size(); }

 private:
  SetIndex index_;
  std::size_t ways_;
  Replacement replacement_;
  std::vector<Way> way_;
};

}  // namespace tilescope
