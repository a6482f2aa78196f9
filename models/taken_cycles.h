// For which cycles something was taken: a warp that waits while others use what is free at times is not selected then;
// only while it is taken does the warp wait for it. The last stretch without a gap is known whole, what lies before it
// for some 1,000 cycles.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

class TakenCycles {
 public:
  // It is taken from `from` until `until`. REQUIRES: no part of it is taken already, and `from` does not decrease.
  void take(Cycle from, Cycle until) {
    if (until <= from) return;
    if (from != until_) from_ = from;
    until_ = until;
    if (until > end_) make_room(until);
    from = std::max(from, end_ - kCycles);
    for (Cycle word = from / kBits; word <= (until - 1) / kBits; ++word) words_[place(word)] |= bits(word, from, until);
  }
  // Of the cycles from `since` to `now`. Of those that are too long ago, as large a part as of the others.
  Cycle between(Cycle since, Cycle now) const {
    if (until_ <= since) return 0;
    const Cycle last = std::max<Cycle>(0, std::min(now, until_) - std::max(since, from_));
    const Cycle before = std::min(now, from_),
                known = std::min(std::max(since, end_ - kCycles), std::max(since, before));
    Cycle taken = last;
    if (known < before)
      for (Cycle word = known / kBits; word <= (before - 1) / kBits; ++word)
        taken += std::popcount(words_[place(word)] & bits(word, known, before));
    return known == since ? taken : taken * (now - since) / (now - known);
  }

 private:
  static constexpr Cycle kBits = 64, kWords = 16, kCycles = kBits * kWords;

  static std::size_t place(Cycle word) { return static_cast<std::size_t>(word % kWords); }
  // Those of a word that stand for cycles from `from` to `until`. REQUIRES: there are some.
  static std::uint64_t bits(Cycle word, Cycle from, Cycle until) {
    const Cycle first = std::max<Cycle>(0, from - word * kBits), last = std::min(until - word * kBits, kBits);
    return ~std::uint64_t{0} >> (kBits - (last - first)) << first;
  }
  void make_room(Cycle until) {
    const Cycle last = (until - 1) / kBits;
    for (Cycle word = std::max(end_ / kBits, last - kWords + 1); word <= last; ++word) words_[place(word)] = 0;
    end_ = (last + 1) * kBits;
  }

  Cycle from_ = 0, until_ = 0;  // the last stretch
  Cycle end_ = 0;               // what is in words_ ends here: a multiple of kBits
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace tilescope
