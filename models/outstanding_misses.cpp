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
  Line& line = lines_.all[fill];
  ++instructions_.all[waiting].lines_out;
  if (line.first_waiter == kNone) {
    line.first_waiter = waiting;
    return;
  }
  const std::uint32_t waiter = waiters_.take();
  waiters_.all[waiter] = {waiting, line.others};
  line.others = waiter;
}

OutstandingMisses::Fill OutstandingMisses::send(MemoryRequest request, Cycle when, Waiting waiting) {
  Fill fill = kWrite | (waiting + 1);
  if (!is_write(request.kind)) {
    fill = lines_.take();
    lines_.all[fill] = {request.line, waiting, kNone, kNone, request.kind == RequestKind::read, 0};
  }
  if (waiting != kNone) ++instructions_.all[waiting].lines_out;
  request.time = when;
  request.fill = fill;
  request.sm = sm_;
  outbox_.push_back(request);
  ++in_flight_;
  return fill;
}

bool OutstandingMisses::join(Fill fill, SectorMask sectors, bool whole_line, Cycle now) {
  if (now >= lines_.all[fill].open_until) return false;
  MemoryRequest* const request = outbox_.find_last([fill](const MemoryRequest& one) {
    return one.fill == fill && one.kind == RequestKind::read;  // a bulk copy may have the same number
  });
  if (request == nullptr) return false;
  request->sectors |= sectors;
  request->whole_line |= whole_line;
  return true;
}

OutstandingMisses::Joined OutstandingMisses::join_store(LineAddress line, SectorMask sectors, std::uint32_t words,
                                                        Cycle when) {
  MemoryRequest* const request =
      outbox_.find_last([line](const MemoryRequest& one) { return one.line == line && one.is_store(); });
  if (request == nullptr) return {};
  const SectorMask before = request->sectors;
  request->add_store(sectors, words);
  request->time = std::max(request->time, when);
  return {before, true};
}

// Of those that are in no order.
void OutstandingMisses::drop_arrived(Cycle now) {
  in_flight_ -= static_cast<std::int64_t>(std::erase_if(known_, [now](Cycle ready) { return ready <= now; }));
  many_known_ = std::max(kFewKnown, 2 * known_.size());
}

Cycle OutstandingMisses::room(Cycle now) {
  if (in_flight_ < most_) {
    if (known_.size() >= many_known_) drop_arrived(now);
    return 0;
  }
  drop_arrived(now);
  for (const Cycle ready : known_) {
    known_in_order_.push_back(ready);
    std::push_heap(known_in_order_.begin(), known_in_order_.end(), std::greater<>{});
  }
  known_.clear();
  while (!known_in_order_.empty() && known_in_order_.front() <= now) {
    std::pop_heap(known_in_order_.begin(), known_in_order_.end(), std::greater<>{});
    known_in_order_.pop_back();
    --in_flight_;
  }
  if (in_flight_ < most_) return 0;
  return known_in_order_.empty() ? kNever : known_in_order_.front();
}

void OutstandingMisses::answered(Waiting waiting, Cycle ready, std::vector<Arrival>& arrivals) {
  Instruction& instruction = instructions_.all[waiting];
  instruction.latest = std::max(instruction.latest, ready);
  if (--instruction.lines_out != 0) return;
  arrivals.push_back(
      {instruction.warp, instruction.scoreboard, instruction.group, instruction.passes, instruction.latest});
  instructions_.give_back(waiting);
}

OutstandingMisses::Delivered OutstandingMisses::deliver(const MemoryReply& reply, std::vector<Arrival>& arrivals) {
  known_.push_back(reply.ready);
  if ((reply.fill & kWrite) != 0) {
    if (reply.fill != kWrite) answered((reply.fill & ~kWrite) - 1, reply.ready, arrivals);
    return {};
  }
  const Line line = lines_.all[reply.fill];
  for (std::uint32_t w = line.others; w != kNone;) {
    const Waiter waiter = waiters_.all[w];
    answered(waiter.waiting, reply.ready, arrivals);
    waiters_.give_back(w);
    w = waiter.next_free;
  }
  if (line.first_waiter != kNone) answered(line.first_waiter, reply.ready, arrivals);
  lines_.give_back(reply.fill);
  return {line.line, line.is_read};
}

}  // namespace tilescope
