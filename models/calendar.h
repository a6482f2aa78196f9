// A shared resource whose users do not come in order of time: a slice that serves a near request now and was promised
// to one that will come over the fabric later. It keeps, for short spans of time, how much of each is taken, and gives
// a newcomer the first spans with room from its own arrival on. Nobody waits for somebody who comes later.
//
// Spans are kept in a ring as large as the stretch of time that is in use, which is short: what hundreds of calendars
// hold stays in a core's cache. The ring grows when two spans in use meet in one place, up to kMostSpans; a span that
// would then have to share its place with a later one counts as full.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

// The time before which nobody asks any more, for all calendars of a chip; set by whoever serves requests in order.
struct CalendarFloor {
  Tick time;
};

class Calendar {
 public:
  // `floor` outlives this; null: any time may be asked for.
  explicit Calendar(const CalendarFloor* floor = nullptr) : floor_(floor) {}

  // Takes `duration` of service, in pieces if need be, not before `now`. Returns when the last piece ends.
  // REQUIRES: `now` is not before the floor.
  Tick take(Tick now, Tick duration) {
    std::int64_t span = now / kSpan;
    if (span >= full_from_ && span < full_to_) span = full_to_;
    const std::int64_t first = span;
    Tick end = now;
    Tick left = duration;
    while (true) {
      Entry& entry = at(span);
      // A span that the ring has given to a later time counts as full.
      const Tick taken = entry.of(span) ? entry.taken() : kSpan;
      if (taken < kSpan) {
        const Tick piece = std::min(left, kSpan - taken);
        end = std::max(std::max(now, end), span * kSpan + taken) + piece;
        entry.add(piece);
        left -= piece;
        if (left == Tick{}) break;
      }
      ++span;
    }
    note_full(first, span);
    return end;
  }

  // How long from `now` on all of it is taken, as far as is remembered: at most that.
  Tick backlog(Tick now) const {
    const std::int64_t span = now / kSpan;
    return span >= full_from_ && span < full_to_ ? full_to_ * kSpan - now : Tick();
  }

 private:
  static constexpr Tick kSpan = 16 * kCycle;
  static constexpr std::size_t kFewestSpans = 32, kMostSpans = 4096;
  // A span and how much of it is taken, in one word, so that a calendar fits few cache lines.
  class Entry {
   public:
    Entry() = default;  // of no span
    explicit Entry(std::int64_t span) : word_(static_cast<std::uint64_t>(span + 1) << kTakenBits) {}
    std::int64_t span() const { return static_cast<std::int64_t>(word_ >> kTakenBits) - 1; }  // -1: none
    bool of(std::int64_t span) const { return word_ >> kTakenBits == static_cast<std::uint64_t>(span + 1); }
    Tick taken() const { return Tick(static_cast<std::int64_t>(word_ & ((1U << kTakenBits) - 1))); }
    void add(Tick piece) { word_ += static_cast<std::uint64_t>(piece.count()); }

   private:
    static constexpr unsigned kTakenBits = 16;
    static_assert(kSpan.count() < 1 << kTakenBits);
    std::uint64_t word_ = 0;
  };

  // The entry of a span, or of a later one that has its place.
  Entry& at(std::int64_t span) {
    Entry& entry = ring_[static_cast<std::size_t>(span) & mask_];
    if (entry.of(span)) [[likely]]
      return entry;
    return at_other(span);
  }
  Entry& at_other(std::int64_t span) {
    while (true) {
      Entry& entry = ring_[static_cast<std::size_t>(span) & mask_];
      const std::int64_t there = entry.span();
      const bool largest = mask_ + 1 == kMostSpans;
      if (there == span || (there > span && largest)) return entry;
      if (there < span && (largest || there < 0 || (floor_ != nullptr && there < floor_->time / kSpan))) {
        entry = Entry(span);
        return entry;
      }
      grow();
    }
  }
  void grow() {
    const std::vector<Entry> before = std::exchange(ring_, std::vector<Entry>(2 * ring_.size()));
    mask_ = ring_.size() - 1;
    for (const Entry& entry : before)
      if (entry.span() >= 0) ring_[static_cast<std::size_t>(entry.span()) & mask_] = entry;
  }

  // Every span in [first, last) is full now: remember the longest such run, to skip it next time.
  void note_full(std::int64_t first, std::int64_t last) {
    if (first >= full_from_ && first <= full_to_)
      full_to_ = std::max(full_to_, last);
    else if (last - first > 1) {
      full_from_ = first;
      full_to_ = last;
    }
  }

  const CalendarFloor* floor_;
  std::vector<Entry> ring_ = std::vector<Entry>(kFewestSpans);
  std::size_t mask_ = kFewestSpans - 1;
  std::int64_t full_from_ = 0;
  std::int64_t full_to_ = 0;
};

}  // namespace tilescope
