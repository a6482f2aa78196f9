// Set-associative tags of a sectored cache. L1 and both partitions of L2 are built on it.
//
// A way holds a 128 B line of which any of the four sectors may be present. What a sector's arrival means (pending
// fills in L1, data in flight in L2) is the owner's business: each way carries a `Payload` for it, by whose place the
// way is known. Tags lie apart from payloads, since most look-ups want the tags only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/replacement/way.h"
#include "models/set_index.h"
#include "models/support/units.h"

namespace tilescope {

template <class Payload, class Replacement>
class SectoredTags {
 public:
  // REQUIRES: ways > 0; `replacement` was made for as many sets as `index` tells apart, and for as many ways.
  SectoredTags(std::size_t sets, std::size_t ways, SetIndex index, Replacement replacement)
      : index_(index),
        ways_(ways),
        replacement_(std::move(replacement)),
        line_(sets * ways, LineAddress::none()),
        payload_(sets * ways) {}

  // What is kept with the line, touched; null when absent.
  Payload* find(LineAddress line) {
    const std::size_t set = index_(line);
    const LineAddress* const first = &line_[set * ways_];
    for (std::size_t way = 0; way < ways_; ++way)
      if (first[way] == line) {
        replacement_.touch(set, way);
        return &payload_[set * ways_ + way];
      }
    return nullptr;
  }

  // The way of the line's set that goes next, among those for which `may_evict(payload)` holds; null when none does.
  // The caller looks at what it evicts and then calls `claim`.
  template <class MayEvict>
  Payload* victim(LineAddress line, MayEvict may_evict) {
    const std::size_t set = index_(line);
    Payload* const first = &payload_[set * ways_];
    const std::size_t way = replacement_.victim(set, [&](std::size_t w) { return may_evict(first[w]); });
    return way == kNoWay ? nullptr : first + way;
  }

  // The line that a way holds; LineAddress::none() when it is empty.
  LineAddress line_of(const Payload& way) const { return line_[place_of(way)]; }

  // Gives a way to a line, which counts as a touch.
  void claim(Payload& way, LineAddress line) {
    const std::size_t place = place_of(way);
    line_[place] = line;
    way = Payload{};
    replacement_.touch(place / ways_, place % ways_);
  }

  std::size_t lines() const { return line_.size(); }

 private:
  std::size_t place_of(const Payload& way) const { return static_cast<std::size_t>(&way - payload_.data()); }

  SetIndex index_;
  std::size_t ways_;
  Replacement replacement_;
  std::vector<LineAddress> line_;
  std::vector<Payload> payload_;
};

}  // namespace tilescope
