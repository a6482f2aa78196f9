// The data stage that L1 and shared memory have in common: one wavefront a cycle. Accesses to shared memory, accesses
// to global memory that do not wait for L2, loads that have waited for it, and operands of tensor cores come to it in
// lanes of their own, each in its order. While several have work waiting they take turns, access by access; a load that
// has waited for L2 lets several of those pass that hit. What a lane accepts knows at once when its turn begins, and
// delays what waits in the others. Source: how long a load waits on its way back beside loads of shared memory and of
// L1 (gpu/microbench/beside.cu).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "models/support/units.h"

namespace tilescope {

class DataStage {
 public:
  enum Lane : std::size_t { shared, hits, answers, operands };

  explicit DataStage(Cycle hits_before_answer) : hits_before_answer_(hits_before_answer) {}

  // Returns when the turn of an access of `duration` cycles, ready at `when`, begins.
  Cycle take(Lane lane, Cycle when, Cycle duration) { return take(lane, when, duration, duration); }
  // ... of several accesses of `each` cycles, `duration` together.
  Cycle take(Lane lane, Cycle when, Cycle duration, Cycle each) {
    Queue& own = lanes_[lane];
    const Cycle ready = std::max(when, own.free);
    Cycle start = ready;
    if (last_free_ > ready) {
      for (const Lane other_lane : {shared, hits, answers, operands}) {
        Queue& other = lanes_[other_lane];
        if (other_lane == lane || other.free <= ready) continue;
        const Cycle turns = lane == answers && other_lane == hits ? hits_before_answer_ : 1;
        start += std::min(turns * other.last, other.free - ready);
        other.free += duration;
        last_free_ = std::max(last_free_, other.free);
      }
    }
    own.free = start + duration;
    own.last = each;
    last_free_ = std::max(last_free_, own.free);
    return start;
  }
  // When all that the lane has accepted will be through.
  Cycle free(Lane lane) const { return lanes_[lane].free; }
  // The lane begins nothing before `when`.
  void hold(Lane lane, Cycle when) {
    lanes_[lane].free = std::max(lanes_[lane].free, when);
    last_free_ = std::max(last_free_, when);
  }

 private:
  struct Queue {
    Cycle free = 0;
    Cycle last = 0;  // duration of the access that it accepted last
  };
  std::array<Queue, 4> lanes_{};
  Cycle last_free_ = 0;  // of all lanes
  Cycle hits_before_answer_;
};

}  // namespace tilescope
