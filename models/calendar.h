// A shared resource whose users do not come in order of time: a slice that serves a near request now and was promised
// to one that will come over the fabric later. It keeps, for short spans of time, how much of each is taken, and gives
// a newcomer the first spans with room from its own arrival on. Nobody waits for somebody who comes later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class Calendar {
 public:
  // Takes `duration` of service, in pieces if need be, not before `now`. Returns when the last piece ends.
  Tick take(Tick now, Tick duration) {
    std::int64_t span = now / kSpan;
    if (span >= full_from_ && span < full_to_) span = full_to_;
    const std::int64_t first = span;
    Tick end = now;
    Tick left = duration;
    while (true) {
      Entry& entry = ring_[static_cast<std::size_t>(span) % kSpans];
      if (entry.span < span) entry = {span, Tick{}};
      const Tick begin = span * kSpan;
      // A span that the ring has given to a later time counts as full.
      const Tick room = entry.span > span ? Tick{} : kSpan - entry.taken;
      if (room > Tick{}) {
        const Tick piece = std::min(left, room);
        end = std::max(std::max(now, end), begin + entry.taken) + piece;
        entry.taken += piece;
        left -= piece;
        if (left == Tick{}) break;
      }
      ++span;
    }
    note_full(first, span);
    return end;
  }

 private:
  static constexpr Tick kSpan = 16 * kCycle;
  static constexpr std::size_t kSpans = 4096;
  struct Entry {
    std::int64_t span = -1;
    Tick taken;
  };

  // Every span in [first, last) is full now: remember the longest such run, to skip it next time.
  void note_full(std::int64_t first, std::int64_t last) {
    if (first >= full_from_ && first <= full_to_)
      full_to_ = std::max(full_to_, last);
    else if (last - first > 1) {
      full_from_ = first;
      full_to_ = last;
    }
  }

  std::vector<Entry> ring_ = std::vector<Entry>(kSpans);
  std::int64_t full_from_ = 0;
  std::int64_t full_to_ = 0;
};

}  // namespace tilescope
