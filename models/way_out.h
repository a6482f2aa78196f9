// The way out of an SM. What its load/store unit sends leaves in order; what its bulk copies send has turns of its own
// between.
//
// Source: on one SM of a Hopper GPU 192 KiB that are copied by TMA beside stores hold these up by one cycle for each
// line asked for, and take 3,580 cycles, 2,570 alone (gpu/microbench/copies_and_stores.cu).
#pragma once

#include <algorithm>
#include <optional>

#include "models/calendar.h"
#include "models/support/units.h"

namespace tilescope {

class WayOut {
 public:
  // Of the load/store unit: takes the way for `duration` from `now` on or from when what it sent before has left;
  // returns when that begins, less what bulk copies take between.
  Cycle take(Cycle now, Cycle duration) {
    const Cycle start = std::max(now, next_free_);
    next_free_ = beside_ ? to_cycles_up(beside_->take(to_ticks(start), duration * kCycle)) : start + duration;
    return next_free_ - duration;
  }
  // Of bulk copies: returns when what takes `duration` has begun to leave.
  Cycle take_beside(Cycle now, Cycle duration) {
    if (!beside_) {
      beside_.emplace();
      if (next_free_ > now) beside_->take(to_ticks(now), (next_free_ - now) * kCycle);
    }
    return to_cycles_up(beside_->take(to_ticks(now), duration * kCycle)) - duration;
  }
  // Nothing of the load/store unit leaves before.
  void hold(Cycle until) { next_free_ = std::max(next_free_, until); }
  // What the load/store unit has sent has left.
  Cycle next_free() const { return next_free_; }

 private:
  Cycle next_free_ = 0;
  std::optional<Calendar> beside_;  // once there are bulk copies
};

}  // namespace tilescope
