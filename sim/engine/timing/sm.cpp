#include "sim/engine/timing/sm.h"

#include <algorithm>

namespace tilescope {

Sm::Sm(const GpuSpec& gpu, const Kernel& kernel, const AccessCosts& costs, const Occupancy& occupancy, int id)
    : id_(id),
      pipes_(gpu),
      branch_cycles_(gpu.pipes.branch_cycles),
      barrier_cycles_(gpu.pipes.barrier_cycles),
      barrier_arrival_cycles_(gpu.pipes.barrier_arrival_cycles),
      fences_(gpu.fences),
      lsu_(gpu, costs, occupancy.l1_kib, id),
      kernel_(kernel),
      subs_(static_cast<std::size_t>(gpu.sm.sub_partitions)),
      slots_(occupancy),
      warps_(slots_.warps()) {
  const auto fences = [](const Instruction& one) { return one.op == OpClass::membar; };
  if (std::any_of(kernel.code().begin(), kernel.code().end(), fences)) lsu_.track_stores();
}

// False while something that the memory barrier waits for has no arrival time.
bool Sm::pass_fence(Warp& warp) {
  const unsigned all = warp.fence == Scope::cta ? 0 : warp.scoreboards.fence_mask();
  warp.waits_for_memory = warp.scoreboards.unknown(all);
  if (warp.waits_for_memory) return false;
  warp.at_fence = false;
  warp.times.ready = warp.scoreboards.ready(all, std::max(warp.times.ready, warp.fence_until)).when;
  warp.times.reason = Stall::membar;
  return true;
}

inline void Sm::resolve_dependencies(Warp& warp, Candidate& candidate) {
  if (warp.at_fence && !pass_fence(warp)) {
    candidate.ready = kNever;
    return;
  }
  // A warp that exits first takes what it asked for from global memory.
  const unsigned mask =
      warp.pc->op == OpClass::exit ? warp.pc->wait_mask | warp.scoreboards.memory_mask() : unsigned{warp.pc->wait_mask};
  warp.waits_for_memory = warp.scoreboards.unknown(mask);
  if (warp.waits_for_memory) {
    candidate.ready = kNever;
    return;
  }
  const Scoreboards::Ready ready = warp.scoreboards.ready(mask, warp.times.ready);
  if (ready.waits) {
    warp.times.ready = ready.when;
    warp.times.reason = ready.is_long ? Stall::long_scoreboard : Stall::short_scoreboard;
  }
  candidate.ready = warp.times.ready;
}

void Sm::launch_cta(std::int64_t cta, Cycle start) {
  start = std::max(start, clock_);
  if (slots_.resident() == 0) active_since_ = start;
  const std::uint16_t s = slots_.take(cta, start);
  const CtaSlot& slot = slots_[s];

  // A CTA's warps go round the sub-partitions, from the emptiest.
  std::size_t first = 0;
  for (std::size_t i = 1; i < subs_.size(); ++i)
    if (subs_[i].scheduler.candidates().size() < subs_[first].scheduler.candidates().size()) first = i;
  for (std::size_t w = 0; w < slot.warps.size(); ++w) {
    Warp& warp = warps_[slot.warps[w]];
    if (!warp.stream) warp.stream = kernel_.make_stream();
    warp.stream->start(cta, static_cast<int>(w), Operands::all);
    warp.next_segment();
    warp.scoreboards.clear();
    warp.at_barrier = warp.at_fence = warp.waits_for_memory = warp.exited = false;
    warp.times.last_issue = start - 1;
    warp.times.after_stall = warp.start = start;
    warp.slot = s;
    warp.sub = static_cast<std::uint8_t>((first + w) % subs_.size());
    SubPartition& sub = subs_[warp.sub];
    warp.position = sub.scheduler.add({start, 0, Pipe::none, slot.warps[w], s});
    prepare_next(warp, sub.scheduler.at(warp.position));
    sub.next = std::min(sub.next, std::max(start, sub.port.free()));
  }
}

Cycle Sm::next_event() const {
  Cycle next = kNever;
  for (const SubPartition& sub : subs_) next = std::min(next, sub.next);
  return next;
}

void Sm::advance(Cycle until) {
  while (true) {
    SubPartition* earliest = &subs_[0];
    for (SubPartition& sub : subs_)
      if (sub.next < earliest->next) earliest = &sub;
    if (earliest->next >= until) break;
    issue_one(*earliest, earliest->next);
  }
  clock_ = until;
}

Cycle Sm::available(const SubPartition& sub, Pipe pipe) const {
  const Cycle free = sub.pipe_free[static_cast<std::size_t>(pipe)];
  return pipe == Pipe::lg ? std::max(free, global_blocked_until_) : free;
}

void Sm::issue_one(SubPartition& sub, Cycle now) {
  const Scheduler::Choice choice = sub.scheduler.choose(now, [&](const Candidate& candidate, Cycle at) {
    const Cycle when = std::max(candidate.ready, available(sub, candidate.pipe));
    if (when > at || candidate.pipe != Pipe::lg) return when;
    global_blocked_until_ = lsu_.global_room(at);
    return std::max(when, global_blocked_until_);
  });
  if (choice.chosen == nullptr) {
    sub.next = choice.earliest;
    return;
  }
  choice.chosen->issued = now;
  sub.next = now + 1;
  if (listener_ == nullptr)
    execute(sub, *choice.chosen, now);
  else
    execute_told(sub, *choice.chosen, now);
}

void Sm::execute_told(SubPartition& sub, Candidate& candidate, Cycle now) {
  const Instruction& instruction = *warps_[candidate.warp].pc;
  const WorkCounters before = counters_;
  execute(sub, candidate, now);
  listener_->issued(instruction, before, counters_);
}

void Sm::execute(SubPartition& sub, Candidate& candidate, Cycle now) {
  Warp& warp = warps_[candidate.warp];
  const Instruction& instruction = *warp.pc;
  account(sub, warp, now);
  ++counters_.instructions[static_cast<std::size_t>(instruction.op)];
  ++issued_;

  const Cycle dispatch = execute_on_pipe(sub, warp, candidate.warp, now);
  sub.port.take(now, dispatch, instruction.register_reads);
  sub.next = sub.port.free();

  warp.times.last_issue = now;
  warp.times.after_stall = now + std::max<Cycle>(1, instruction.stall);
  ++warp.pc;
  if (instruction.op == OpClass::exit) {
    exit_warp(warp, now);
    return;
  }
  if (instruction.op == OpClass::branch)
    warp.times.after_stall = std::max(warp.times.after_stall, now + branch_cycles_);
  if (warp.pc == warp.end && !warp.next_segment()) {  // a stream that ends without EXIT
    exit_warp(warp, now);
    return;
  }
  switch (order_of(instruction.op)) {
    case Order::none:
      prepare_next(warp, candidate);
      break;
    case Order::barrier:
      arrive_at_barrier(warp, candidate, instruction, now);
      break;
    case Order::fence:
      warp.at_fence = true;
      warp.fence = instruction.scope();
      warp.fence_until = fences_.pass(warp.times.after_stall, warp.fence);
      prepare_next(warp, candidate);
      break;
    case Order::invalidation:
      prepare_next(warp, candidate);
      if (lsu_.invalidate_l1()) delay(warp, candidate, now + fences_.invalidation_cycles());
      break;
  }
}

// Returns for how long the instruction keeps the dispatch port.
Cycle Sm::execute_on_pipe(SubPartition& sub, Warp& warp, std::uint16_t index, Cycle now) {
  const Instruction& instruction = *warp.pc;
  const PipeUse& use = pipes_[instruction.op];
  const auto pipe = static_cast<std::size_t>(use.pipe);
  Cycle dispatch = use.dispatch;
  switch (use.pipe) {
    case Pipe::mio:
    case Pipe::lg:
      if (uses_load_store_unit(instruction.op))
        dispatch = issue_memory(warp, index, instruction, now);
      else
        lsu_.issue_beside(now, warp.sub);
      sub.pipe_free[static_cast<std::size_t>(Pipe::mio)] = lsu_.shared_room_at(warp.sub);
      sub.pipe_free[static_cast<std::size_t>(Pipe::lg)] = lsu_.global_room_at(warp.sub);
      break;
    case Pipe::tensor:
      sub.pipe_free[pipe] = now + pipes_.tensor_interval(instruction.work);
      break;
    case Pipe::none:
      break;
    default:
      sub.pipe_free[pipe] = now + use.interval;
  }
  if (use.latency != 0) warp.scoreboards.set(instruction.write_scoreboard, now + use.latency, false);
  return dispatch;
}

Cycle Sm::issue_memory(Warp& warp, std::uint16_t index, const Instruction& instruction, Cycle now) {
  const LoadStoreUnit::Timing timing = lsu_.issue(instruction, warp.operand, now, {index, warp.sub}, counters_);
  warp.operand += memory_operands(instruction.op);
  warp.scoreboards.set(instruction.read_scoreboard, timing.dequeued, false);
  warp.scoreboards.set(instruction.write_scoreboard, timing.complete, pipes_[instruction.op].pipe == Pipe::lg);
  warp.scoreboards.promise(instruction.write_scoreboard, timing.pending);
  warp.scoreboards.promise(kStoreBoard, timing.store_pending);
  return timing.dispatch;
}

void Sm::account(const SubPartition& sub, Warp& warp, Cycle now) {
  const PipeUse& use = pipes_[warp.pc->op];
  const Stall throttle = use.pipe == Pipe::lg    ? Stall::lg_throttle
                         : use.pipe == Pipe::mio ? Stall::mio_throttle
                                                 : Stall::math_pipe_throttle;
  // A pipe that takes an instruction every cycle never holds one up.
  const bool can_throttle = use.pipe == Pipe::lg || use.pipe == Pipe::mio || use.interval > 1;
  warp.times.now = now;
  StallAccount(counters_).issued(warp.times, can_throttle ? available(sub, use.pipe) : 0, throttle,
                                 [&sub](Cycle since, Cycle at) { return sub.port.lost_between(since, at); });
}

void Sm::prepare_next(Warp& warp, Candidate& candidate) {
  candidate.pipe = pipes_[warp.pc->op].pipe;
  warp.times.ready = warp.times.after_stall;
  warp.times.reason = Stall::wait;
  resolve_dependencies(warp, candidate);
}

// The next instruction waits for a memory barrier until `when`.
void Sm::delay(Warp& warp, Candidate& candidate, Cycle when) {
  if (when <= warp.times.ready || warp.waits_for_memory) return;
  warp.times.ready = when;
  warp.times.reason = Stall::membar;
  candidate.ready = when;
}

void Sm::wake(Warp& warp) {
  SubPartition& sub = subs_[warp.sub];
  Candidate& candidate = sub.scheduler.at(warp.position);
  resolve_dependencies(warp, candidate);
  if (!warp.waits_for_memory) sub.next = std::min(sub.next, std::max(candidate.ready, sub.port.free()));
}

void Sm::arrive_at_barrier(Warp& warp, Candidate& candidate, const Instruction& instruction, Cycle now) {
  CtaSlot& slot = slots_[warp.slot];
  if (instruction.op == OpClass::barrier) {
    warp.at_barrier = true;
    warp.barrier = static_cast<std::uint8_t>(instruction.barrier());
    candidate.pipe = pipes_[warp.pc->op].pipe;
    candidate.ready = kNever;
  } else {
    prepare_next(warp, candidate);
  }
  const Cycle counted = barrier_unit_.take(now, barrier_arrival_cycles_) + barrier_arrival_cycles_;
  if (slot.barriers.arrive(instruction.barrier(), instruction.barrier_warps()))
    release_barrier(slot, instruction.barrier(), counted);
}

void Sm::release_barrier(CtaSlot& slot, int barrier, Cycle now) {
  lsu_.pass_barrier(now, counters_);
  for (const std::uint16_t w : slot.warps) {
    Warp& warp = warps_[w];
    if (!warp.at_barrier || warp.barrier != barrier) continue;
    warp.at_barrier = false;
    warp.times.ready = std::max(warp.times.after_stall, now + barrier_cycles_);
    warp.times.reason = Stall::barrier;
    wake(warp);
  }
}

void Sm::exit_warp(Warp& warp, Cycle now) {
  CtaSlot& slot = slots_[warp.slot];
  subs_[warp.sub].scheduler.at(warp.position).ready = kNever;
  counters_.warp_cycles += static_cast<std::uint64_t>(now + 1 - warp.start);
  warp.exited = true;
  const unsigned completed = slot.barriers.leave();
  if (slot.barriers.alive() > 0) {
    for (int b = 0; b < CtaBarriers::kBarriers; ++b)
      if ((completed >> b & 1U) != 0) release_barrier(slot, b, now);
    return;
  }
  for (SubPartition& sub : subs_)
    sub.scheduler.remove(warp.slot, [this](std::uint16_t w, std::uint16_t place) { warps_[w].position = place; });
  ++counters_.ctas;
  finished_.push_back({slot.cta, slot.start, now + 1, id_});
  slots_.give_back(warp.slot);
  if (slots_.resident() == 0) counters_.active_cycles += static_cast<std::uint64_t>(now + 1 - active_since_);
}

SmCounters Sm::counters() const {
  SmCounters result = counters_;
  if (slots_.resident() > 0)
    result.active_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, clock_ - active_since_));
  for (const SubPartition& sub : subs_)
    for (const Candidate& candidate : sub.scheduler.candidates()) {
      const Warp& warp = warps_[candidate.warp];
      if (!warp.exited) result.warp_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, clock_ - warp.start));
    }
  return result;
}

void Sm::deliver(const std::vector<MemoryReply>& replies) {
  if (replies.empty()) return;
  arrivals_.clear();
  for (const MemoryReply& reply : replies) lsu_.deliver(reply, arrivals_);
  for (const OutstandingMisses::Arrival& arrival : arrivals_) {
    if (arrival.scoreboard == kNoScoreboard) continue;
    Warp& warp = warps_[arrival.warp];
    warp.scoreboards.arrived(arrival.scoreboard, arrival.ready);
    if (warp.waits_for_memory && !warp.at_barrier) wake(warp);
  }
  if (global_blocked_until_ == kNever) {  // a place will be free: look again
    global_blocked_until_ = 0;
    for (SubPartition& sub : subs_)
      for (const Candidate& candidate : sub.scheduler.candidates())
        sub.next = std::min(sub.next, std::max(clock_, candidate.ready));
  }
}

}  // namespace tilescope
