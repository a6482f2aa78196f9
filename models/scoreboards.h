// The six scoreboards of a warp: what instructions of variable latency have promised, and when that is known to be
// there. An instruction names in its wait mask those that must be free before it may issue.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "models/isa/instruction.h"
#include "models/support/units.h"

namespace tilescope {

// One more than the instructions name: what stores wait to be acknowledged for, and only memory barriers ask about.
inline constexpr std::uint8_t kStoreBoard = kScoreboards;

class Scoreboards {
 public:
  // For the next warp in this place. Stores of the one before are still on their way; a memory barrier waits for them.
  void clear() {
    free_.fill(0);
    std::fill_n(out_.begin(), kScoreboards, std::uint16_t{0});
    out_mask_ = static_cast<std::uint8_t>(out_mask_ & ~kNamed);
    long_mask_ = 0;
  }

  // A result is there at `when`; `is_long`: it comes from global or local memory. Nothing for kNoScoreboard.
  void set(std::uint8_t scoreboard, Cycle when, bool is_long) {
    if (scoreboard >= kScoreboards || (when < free_[scoreboard] && !is_long)) return;
    free_[scoreboard] = std::max(free_[scoreboard], when);
    const auto bit = static_cast<std::uint8_t>(1U << scoreboard);
    long_mask_ = static_cast<std::uint8_t>(is_long ? long_mask_ | bit : long_mask_ & ~bit);
  }
  // Results that are still out: arrived() will tell of each.
  void promise(std::uint8_t scoreboard, int results = 1) {
    if (scoreboard > kStoreBoard || results == 0) return;
    out_[scoreboard] = static_cast<std::uint16_t>(out_[scoreboard] + results);
    out_mask_ = static_cast<std::uint8_t>(out_mask_ | 1U << scoreboard);
  }
  void arrived(std::uint8_t scoreboard, Cycle when, bool is_long = true) {
    if (scoreboard > kStoreBoard) return;
    if (when > free_[scoreboard]) {  // and is what a warp waits for, whatever shared the scoreboard since
      free_[scoreboard] = when;
      const unsigned bit = 1U << scoreboard;
      long_mask_ = static_cast<std::uint8_t>((is_long ? long_mask_ | bit : long_mask_ & ~bit) & kNamed);
    }
    if (--out_[scoreboard] == 0) out_mask_ = static_cast<std::uint8_t>(out_mask_ & ~(1U << scoreboard));
  }

  // Scoreboards that hold something from global or local memory, or held it last.
  unsigned memory_mask() const { return (static_cast<unsigned>(out_mask_) | long_mask_) & kNamed; }
  // All of that, and stores that have not been answered.
  unsigned fence_mask() const { return memory_mask() | 1U << kStoreBoard; }
  // In a mask: something that no scoreboard counts and that has no arrival time yet.
  static constexpr unsigned kUnknown = 1U << 7;
  // Something that `mask` names has no arrival time yet.
  bool unknown(unsigned mask) const { return (mask & out_mask_) != 0; }

  struct Ready {
    Cycle when = 0;
    bool waits = false;    // for a scoreboard
    bool is_long = false;  // ... of global or local memory
  };
  // From when on everything in `mask` is there, not before `since`. REQUIRES: !unknown(mask).
  Ready ready(unsigned mask, Cycle since) const {
    Ready ready{since, false, false};
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const auto scoreboard = static_cast<std::size_t>(std::countr_zero(left));
      if (free_[scoreboard] <= ready.when) continue;
      ready = {free_[scoreboard], true, (long_mask_ >> scoreboard & 1U) != 0};
    }
    return ready;
  }

 private:
  static constexpr unsigned kNamed = (1U << kScoreboards) - 1;

  std::array<Cycle, kScoreboards + 1> free_{};         // from this cycle on, as far as it is known
  std::array<std::uint16_t, kScoreboards + 1> out_{};  // results whose arrival is not known yet
  std::uint8_t out_mask_ = kUnknown;                   // scoreboards with out_ > 0, and what never has a time
  std::uint8_t long_mask_ = 0;                         // what comes last comes from global or local memory
};

}  // namespace tilescope
