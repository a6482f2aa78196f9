// What a warp waited for before an issue, as spans of time that follow one another.
#pragma once

#include <array>

#include "sim/engine/issue_listener.h"

namespace tilescope {

// The reasons in the order in which a wait goes through them (sim/engine/timing/stall_account.h).
inline constexpr std::array<Stall, 14> kStallOrder = {Stall::wait,
                                                      Stall::branch_resolving,
                                                      Stall::no_instruction,
                                                      Stall::imc_miss,
                                                      Stall::barrier,
                                                      Stall::membar,
                                                      Stall::gmma,
                                                      Stall::long_scoreboard,
                                                      Stall::short_scoreboard,
                                                      Stall::math_pipe_throttle,
                                                      Stall::mio_throttle,
                                                      Stall::lg_throttle,
                                                      Stall::dispatch_stall,
                                                      Stall::not_selected};

// span(reason, from, until) for each that takes time: the waits before the issue, the cycle of the issue, and after a
// warp's exit its drain. Arguments as IssueListener::issued has them.
template <class SpanOf>
void each_stall_span(const Issue& issue, const WorkCounters& before, const WorkCounters& after, SpanOf&& span) {
  const auto spent = [&](Stall reason) {
    const auto i = static_cast<std::size_t>(reason);
    return static_cast<Cycle>(after.stall_cycles[i] - before.stall_cycles[i]);
  };
  Cycle at = issue.when;
  for (const Stall reason : kStallOrder) at -= spent(reason);
  for (const Stall reason : kStallOrder) {
    if (const Cycle cycles = spent(reason); cycles != 0) {
      span(reason, at, at + cycles);
      at += cycles;
    }
  }
  span(Stall::selected, at, at + 1);
  if (const Cycle cycles = spent(Stall::drain); cycles != 0) span(Stall::drain, at + 1, at + 1 + cycles);
}

}  // namespace tilescope
