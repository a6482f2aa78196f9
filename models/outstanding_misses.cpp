#include "models/outstanding_misses.h"

#include <algorithm>
#include <functional>

namespace tilescope {

OutstandingMisses::Waiting OutstandingMisses::begin(std::uint16_t warp, std::uint8_t scoreboard,
                                                    AsyncCopies::Group group) {
  const Waiting waiting = instructions_.take();
  instructions_.all[waiting] = {0, 0, kNone, group, warp, 0, scoreboard};
  return waiting;
}

void OutstandingMisses::wait_for(Fill fill, Waiting waiting) {
  const std::uint32_t waiter = waiters_.take();
  waiters_.all[waiter] = {waiting, lines_.all[fill].first_waiter};
  lines_.all[fill].first_waiter = waiter;
  ++instructions_.all[waiting].lines_out;
}

OutstandingMisses::Fill OutstandingMisses::send(MemoryRequest request, Cycle when) {
  const Fill fill = lines_.take();
  lines_.all[fill] = {request.line, kNone, kNone, request.kind == RequestKind::read};
  request.time = when;
  request.fill = fill;
  request.sm = sm_;
  outbox_.push_back(request);
  ++in_flight_;
  return fill;
}

Cycle OutstandingMisses::room(Cycle now) {
  while (!known_.empty() && known_.front() <= now) {
    std::pop_heap(known_.begin(), known_.end(), std::greater<>{});
    known_.pop_back();
    --in_flight_;
  }
  if (in_flight_ < most_) return 0;
  return known_.empty() ? kNever : known_.front();
}

OutstandingMisses::Delivered OutstandingMisses::deliver(const MemoryReply& reply, std::vector<Arrival>& arrivals) {
  const Line line = lines_.all[reply.fill];
  known_.push_back(reply.ready);
  std::push_heap(known_.begin(), known_.end(), std::greater<>{});
  for (std::uint32_t w = line.first_waiter; w != kNone;) {
    const Waiter waiter = waiters_.all[w];
    Instruction& instruction = instructions_.all[waiter.waiting];
    instruction.latest = std::max(instruction.latest, reply.ready);
    if (--instruction.lines_out == 0) {
      arrivals.push_back({instruction.warp, instruction.scoreboard, instruction.group, instruction.passes,
                          instruction.latest});
      instructions_.give_back(waiter.waiting);
    }
    waiters_.give_back(w);
    w = waiter.next_free;
  }
  lines_.give_back(reply.fill);
  return {line.line, line.is_read};
}

}  // namespace tilescope
