// What the cycles of a warp between two of its instructions are spent on, by the reasons that Nsight Compute names.
#pragma once

#include <algorithm>

#include "sim/engine/sm_counters.h"

namespace tilescope {

// One issue of a warp, in order of time.
struct IssueTimes {
  Cycle last_issue = 0;        // of the instruction before
  Cycle after_stall = 0;       // ... plus the compiler's stall count
  Cycle ready = 0;             // ... and dependencies
  Stall reason = Stall::wait;  // what the time from after_stall to ready was spent on
  Cycle now = 0;
};

class StallAccount {
 public:
  explicit StallAccount(WorkCounters& counters) : counters_(counters) {}

  // `pipe_free`: when the instruction's pipe took it at the earliest; `throttle`: what a wait for it is called.
  // `port_lost(since, now)`: cycles that the dispatch port was taken.
  template <class PortLost>
  void issued(const IssueTimes& times, Cycle pipe_free, Stall throttle, PortLost&& port_lost) {
    add(Stall::selected, 1);
    add(Stall::wait, times.after_stall - times.last_issue - 1);
    add(times.reason, times.ready - times.after_stall);
    const Cycle throttled = std::clamp<Cycle>(pipe_free - times.ready, 0, times.now - times.ready);
    add(throttle, throttled);
    const Cycle since = times.ready + throttled;
    const Cycle dispatch = port_lost(since, times.now);
    add(Stall::dispatch_stall, dispatch);
    add(Stall::not_selected, times.now - since - dispatch);
  }

 private:
  void add(Stall stall, Cycle cycles) {
    counters_.stall_cycles[static_cast<std::size_t>(stall)] += static_cast<std::uint64_t>(cycles);
  }

  WorkCounters& counters_;
};

}  // namespace tilescope
