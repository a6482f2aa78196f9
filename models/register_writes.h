// How words from shared memory that lanes have in common reach the register file of a sub-partition: a pass of the
// banks then fills an even and an odd register at once (SharedCost::joined), and both ports for writing are needed.
//
// Arithmetic writes one register per cycle and goes first. A pass waits for a cycle in which nothing is dispatched that
// writes a register; loads are written in order. Three passes have room to wait, those behind them stand in the pipe of
// shared memory, which then needs 4 cycles for each. One that has found no such cycle for 16 keeps the dispatch port
// for three cycles, in which up to three are written. Source: loops of LDS.64 and LDS.128 beside 2 to 44 FFMAs, and
// bursts of one to six of them in front of 150, on an H100, by a program that is not kept: one LDS.64 costs its own
// cycle beside 28 FFMAs and 3 more beside 36 (docs/accuracy.md, What made the difference).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

class RegisterWrites {
 public:
  struct Load {
    Cycle complete = 0;        // its warp can use it, not before
    std::uint16_t passes = 0;  // that fill two registers; 0: none, but it stands behind such
    std::uint16_t warp = 0;
    std::uint8_t scoreboard = 0;
  };

  // Cycles of the pipe of shared memory for a pass that stands in it, as the four sub-partitions take turns.
  static constexpr Cycle kRefill = 4;

  bool any() const { return first_ != last_; }
  // No other load has room on its way.
  bool full() const { return last_ - first_ >= kLoads; }
  // REQUIRES: in order of `complete`, or nearly so; load.passes > 0 or any(); !full().
  void add(Load load) {
    at(last_++) = load;
    if (last_ - first_ == 1) reach_head();
  }
  // The first cycle, not before `since`, in which one would be written if nothing is dispatched. REQUIRES: any().
  Cycle next(Cycle since) const { return std::max({since, written_ + 1, there_}); }

  // No register is written by what is dispatched from `since` until before `until`. done(load, when) is told of each
  // load that has been written and from when on its warp can use it.
  template <class Done>
  void use(Cycle since, Cycle until, Done&& done) {
    while (any()) {
      const Cycle cycle = next(since);
      if (cycle >= until) return;
      write(cycle, done);
    }
  }
  // The dispatch port is free again at `free`. Returns when it is, as one that has waited for long keeps it.
  template <class Done>
  Cycle insist(Cycle free, Done&& done) {
    if (!any() || next(0) + kPatience > free) return free;
    const Cycle until = free + kHeld;
    for (int i = 0; i < kRoom && any() && there_ < until; ++i) write(until + i, done);
    return until;
  }

 private:
  static constexpr Cycle kUse = 8;  // from the cycle of the port to what reads the registers
  static constexpr Cycle kPatience = 16;
  static constexpr Cycle kHeld = 3;
  static constexpr int kRoom = 3;
  // Loads of a sub-partition that can be on their way when all four load: lsu.queue_entries, a quarter of what the SM's
  // queue has (lsu.shared_queue_entries), and one that is being written.
  static constexpr std::uint32_t kLoads = 16;

  Load& at(std::uint32_t i) { return loads_[i % kLoads]; }

  template <class Done>
  void write(Cycle cycle, Done&& done) {
    written_ = cycle;
    before_[pass_++ % kRoom] = cycle;
    Load& load = at(first_);
    if (++pass_of_load_ == load.passes) {
      done(load, std::max(load.complete, cycle + kUse));
      for (++first_; any() && at(first_).passes == 0; ++first_)
        done(at(first_), std::max(at(first_).complete, cycle + kUse));
      pass_of_load_ = 0;
    }
    if (any()) reach_head();
  }
  // The next pass: has it come, or did it stand in the pipe?
  void reach_head() {
    const Load& load = at(first_);
    const Cycle comes = load.complete - kUse - load.passes + 1 + pass_of_load_, room = before_[pass_ % kRoom];
    if (room >= comes)
      there_ = std::max(room, stood_ ? there_ : 0) + kRefill;
    else
      there_ = stood_ ? std::max(comes, there_ + kRefill) : comes;
    stood_ = there_ > comes;
  }

  Cycle written_ = -1;  // the last pass
  Cycle there_ = 0;     // when the next one can be written
  bool stood_ = false;  // ... because it had no room to wait
  int pass_of_load_ = 0;
  std::uint32_t pass_ = 0;                          // of all
  std::array<Cycle, kRoom> before_ = {-1, -1, -1};  // when the last ones were written
  std::uint32_t first_ = 0;                         // of what waits in loads_
  std::uint32_t last_ = 0;
  std::array<Load, kLoads> loads_{};
};

}  // namespace tilescope
