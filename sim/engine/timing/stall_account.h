// What the cycles of a warp between two of its instructions are spent on, by the reasons that Nsight Compute names.
#pragma once

#include <algorithm>

#include "sim/engine/sm_counters.h"

namespace tilescope {

// What leads to one issue of a warp, in order of time.
struct IssueTimes {
  Cycle last_issue = 0;   // of the instruction before
  Cycle after_stall = 0;  // ... plus the compiler's stall count, and until its branch, code and constants are there
  Cycle branching = 0;    // how much of that is for the branch, beyond the stall count
  Cycle unfetched = 0;    // ... for the code
  Cycle constants = 0;    // ... and for constants
  Cycle ready = 0;        // ... and dependencies
  Stall reason = Stall::wait;  // what the time from after_stall to ready was spent on
};

// What a wait for a pipe is called.
constexpr Stall throttle_of(Pipe pipe) {
  return pipe == Pipe::lg ? Stall::lg_throttle : pipe == Pipe::mio ? Stall::mio_throttle : Stall::math_pipe_throttle;
}

class StallAccount {
 public:
  explicit StallAccount(WorkCounters& counters) : counters_(counters) {}

  // It issues at `now`. Of the cycles since it was ready its `pipe` was taken for `throttled`, and the dispatch port
  // for `port_lost`.
  void issued(IssueTimes times, Cycle now, Cycle throttled, Pipe pipe, Cycle port_lost) {
    const Cycle other = now - times.ready - throttled;
    const Cycle dispatch = std::min(port_lost, other);
    add(Stall::selected, 1);
    add(Stall::wait, times.after_stall - times.last_issue - 1 - times.branching - times.unfetched - times.constants);
    if (times.branching > 0) add(Stall::branch_resolving, times.branching);
    if (times.unfetched > 0) add(Stall::no_instruction, times.unfetched);
    if (times.constants > 0) add(Stall::imc_miss, times.constants);
    add(times.reason, times.ready - times.after_stall);
    if (throttled > 0) add(throttle_of(pipe), throttled);
    add(Stall::dispatch_stall, dispatch);
    add(Stall::not_selected, other - dispatch);
  }

 private:
  void add(Stall stall, Cycle cycles) {
    counters_.stall_cycles[static_cast<std::size_t>(stall)] += static_cast<std::uint64_t>(cycles);
  }

  WorkCounters& counters_;
};

}  // namespace tilescope
