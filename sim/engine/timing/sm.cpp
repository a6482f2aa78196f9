#include "sim/engine/timing/sm.h"

#include <algorithm>
#include <bit>

namespace tilescope {

Sm::Sm(const GpuSpec& gpu, const Kernel& kernel, const Occupancy& occupancy, int id)
    : id_(id),
      pipes_(gpu),
      branch_cycles_(gpu.pipes.branch_cycles),
      barrier_cycles_(gpu.pipes.barrier_cycles),
      barrier_arrival_cycles_(gpu.pipes.barrier_arrival_cycles),
      lsu_(gpu, kernel.patterns(), occupancy.l1_kib, id),
      kernel_(kernel),
      subs_(static_cast<std::size_t>(gpu.sm.sub_partitions)),
      slots_(static_cast<std::size_t>(occupancy.ctas_per_sm)) {
  warps_.resize(slots_.size() * static_cast<std::size_t>(occupancy.warps_per_cta));
  std::uint16_t next = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    for (std::int64_t w = 0; w < occupancy.warps_per_cta; ++w) slots_[s].warps.push_back(next++);
    free_slots_.push_back(static_cast<int>(slots_.size() - 1 - s));
  }
}

void Sm::launch_cta(std::int64_t cta, Cycle start) {
  start = std::max(start, clock_);
  const int s = free_slots_.back();
  free_slots_.pop_back();
  CtaSlot& slot = slots_[static_cast<std::size_t>(s)];
  slot.cta = cta;
  slot.start = start;
  slot.alive = static_cast<int>(slot.warps.size());
  slot.arrived.fill(0);
  if (resident_++ == 0) active_since_ = start;

  // A CTA's warps go round the sub-partitions, from the emptiest.
  std::size_t first = 0;
  for (std::size_t i = 1; i < subs_.size(); ++i)
    if (subs_[i].candidates.size() < subs_[first].candidates.size()) first = i;
  for (std::size_t w = 0; w < slot.warps.size(); ++w) {
    Warp& warp = warps_[slot.warps[w]];
    if (!warp.stream) warp.stream = kernel_.make_stream();
    warp.stream->start(cta, static_cast<int>(w), Operands::all);
    Segment segment;
    warp.stream->next(segment);
    warp.pc = segment.code;
    warp.end = segment.code + segment.length;
    warp.operand = segment.operands;
    warp.scoreboard.fill(0);
    warp.out.fill(0);
    warp.out_mask = warp.long_mask = 0;
    warp.at_barrier = warp.waits_for_memory = warp.exited = false;
    warp.last_issue = start - 1;
    warp.after_stall = warp.start = start;
    warp.slot = static_cast<std::uint16_t>(s);
    warp.sub = static_cast<std::uint8_t>((first + w) % subs_.size());
    SubPartition& sub = subs_[warp.sub];
    warp.position = static_cast<std::uint16_t>(sub.candidates.size());
    sub.candidates.push_back({start, 0, Pipe::none, slot.warps[w], static_cast<std::uint16_t>(s)});
    prepare_next(warp, sub.candidates.back());
    sub.next = std::min(sub.next, std::max(start, sub.dispatch_free));
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
  Cycle earliest = kNever;
  Candidate* chosen = nullptr;
  for (Candidate& candidate : sub.candidates) {
    if (chosen != nullptr && candidate.slot != chosen->slot) break;  // an older CTA's warp can issue
    Cycle when = candidate.ready;
    if (when < earliest) when = std::max(when, available(sub, candidate.pipe));
    if (when <= now && candidate.pipe == Pipe::lg) {
      global_blocked_until_ = lsu_.global_room(now);
      when = std::max(when, global_blocked_until_);
    }
    if (when > now) {
      earliest = std::min(earliest, when);
      continue;
    }
    if (chosen == nullptr || candidate.issued <= chosen->issued) chosen = &candidate;
  }
  if (chosen == nullptr) {
    sub.next = earliest;
    return;
  }
  chosen->issued = now;
  sub.next = now + 1;
  if (attribution_ == nullptr)
    execute(sub, *chosen, now);
  else
    execute_attributed(sub, *chosen, now);
}

void Sm::execute_attributed(SubPartition& sub, Candidate& candidate, Cycle now) {
  const Instruction* const instruction = warps_[candidate.warp].pc;
  const WorkCounters before = counters_;
  execute(sub, candidate, now);
  attribution_->charge(instruction, before, counters_);
  ++attribution_->of(instruction).executed;
}

void Sm::execute(SubPartition& sub, Candidate& candidate, Cycle now) {
  const std::uint16_t index = candidate.warp;
  Warp& warp = warps_[index];
  const Instruction& instruction = *warp.pc;
  const PipeUse& use = pipes_[instruction.op];
  const auto pipe = static_cast<std::size_t>(use.pipe);
  account(sub, warp, now, available(sub, use.pipe), use.pipe);
  ++counters_.instructions[static_cast<std::size_t>(instruction.op)];
  ++issued_;

  Cycle after_stall = now + std::max<Cycle>(1, instruction.stall);
  warp.last_issue = now;
  Cycle dispatch = use.dispatch;
  switch (use.pipe) {
    case Pipe::mio:
    case Pipe::lg:
      if (uses_load_store_unit(instruction.op))
        dispatch = issue_memory(warp, index, instruction, now);
      else
        lsu_.issue_beside(now, warp.sub);
      note_room(sub, warp.sub);
      break;
    case Pipe::tensor:
      sub.pipe_free[pipe] = now + pipes_.tensor_interval(instruction.work);
      break;
    case Pipe::none:
      break;
    default:
      sub.pipe_free[pipe] = now + use.interval;
  }
  take_dispatch_port(sub, instruction, dispatch, now);
  if (use.latency != 0 && instruction.write_scoreboard < kScoreboards) {
    Cycle& free = warp.scoreboard[instruction.write_scoreboard];
    free = std::max(free, now + use.latency);
    warp.long_mask = static_cast<std::uint8_t>(warp.long_mask & ~(1U << instruction.write_scoreboard));
  }

  ++warp.pc;
  if (instruction.op == OpClass::exit) {
    exit_warp(warp, now);
    return;
  }
  if (instruction.op == OpClass::branch) after_stall = std::max(after_stall, now + branch_cycles_);
  warp.after_stall = after_stall;
  if (warp.pc == warp.end) {
    Segment segment;
    if (!warp.stream->next(segment)) {  // a stream that ends without EXIT
      exit_warp(warp, now);
      return;
    }
    warp.pc = segment.code;
    warp.end = segment.code + segment.length;
    warp.operand = segment.operands;
  }
  if (instruction.op == OpClass::barrier) {
    warp.barrier = static_cast<std::uint8_t>(instruction.bar_id % kBarriers);
    arrive_at_barrier(warp, candidate, now);
  } else {
    prepare_next(warp, candidate);
  }
}

void Sm::take_dispatch_port(SubPartition& sub, const Instruction& instruction, Cycle cycles, Cycle now) {
  sub.dispatch_lost = now + 1;
  sub.dispatch_free = std::max(now + cycles, sub.banks.fetch(instruction.register_reads, now));
  sub.next = sub.dispatch_free;
}

void Sm::note_room(SubPartition& sub, std::uint8_t index) {
  sub.pipe_free[static_cast<std::size_t>(Pipe::mio)] = lsu_.shared_room_at(index);
  sub.pipe_free[static_cast<std::size_t>(Pipe::lg)] = lsu_.global_room_at(index);
}

// Returns for how long it keeps the dispatch port.
Cycle Sm::issue_memory(Warp& warp, std::uint16_t index, const Instruction& instruction, Cycle now) {
  const LoadStoreUnit::Timing timing = lsu_.issue(instruction, warp.operand, now, index, warp.sub, counters_);
  warp.operand += memory_operands(instruction.op);

  const auto set = [&](std::uint8_t scoreboard, Cycle when, bool is_long) {
    if (scoreboard >= kScoreboards) return;
    warp.scoreboard[scoreboard] = std::max(warp.scoreboard[scoreboard], when);
    const auto bit = static_cast<std::uint8_t>(1U << scoreboard);
    warp.long_mask = static_cast<std::uint8_t>(is_long ? warp.long_mask | bit : warp.long_mask & ~bit);
  };
  const bool is_long = pipes_[instruction.op].pipe == Pipe::lg;
  set(instruction.read_scoreboard, timing.dequeued, false);
  set(instruction.write_scoreboard, timing.complete, is_long);
  if (timing.pending && instruction.write_scoreboard < kScoreboards) {
    ++warp.out[instruction.write_scoreboard];
    warp.out_mask = static_cast<std::uint8_t>(warp.out_mask | 1U << instruction.write_scoreboard);
  }
  return timing.dispatch;
}

void Sm::account(const SubPartition& sub, Warp& warp, Cycle now, Cycle pipe_free, Pipe pipe) {
  const auto add = [this](Stall stall, Cycle cycles) {
    counters_.stall_cycles[static_cast<std::size_t>(stall)] += static_cast<std::uint64_t>(cycles);
  };
  add(Stall::selected, 1);
  add(Stall::wait, warp.after_stall - warp.last_issue - 1);
  add(warp.reason, warp.ready - warp.after_stall);
  // A pipe that takes an instruction every cycle never holds one up.
  const bool can_throttle = pipe == Pipe::lg || pipe == Pipe::mio || pipes_[warp.pc->op].interval > 1;
  const Cycle throttled = can_throttle ? std::clamp<Cycle>(pipe_free - warp.ready, 0, now - warp.ready) : 0;
  if (throttled > 0)
    add(pipe == Pipe::lg    ? Stall::lg_throttle
        : pipe == Pipe::mio ? Stall::mio_throttle
                            : Stall::math_pipe_throttle,
        throttled);
  const Cycle since = std::max(warp.ready + throttled, sub.dispatch_lost);
  const Cycle dispatch = std::clamp<Cycle>(sub.dispatch_free - since, 0, now - warp.ready - throttled);
  add(Stall::dispatch_stall, dispatch);
  add(Stall::not_selected, now - warp.ready - throttled - dispatch);
}

void Sm::prepare_next(Warp& warp, Candidate& candidate) {
  candidate.pipe = pipes_[warp.pc->op].pipe;
  warp.ready = warp.after_stall;
  warp.reason = Stall::wait;
  resolve_dependencies(warp, candidate);
}

void Sm::resolve_dependencies(Warp& warp, Candidate& candidate) {
  // A warp that exits first takes what it asked for from global memory.
  const unsigned mask =
      warp.pc->op == OpClass::exit ? warp.pc->wait_mask | warp.out_mask | warp.long_mask : warp.pc->wait_mask;
  warp.waits_for_memory = (mask & warp.out_mask) != 0;
  if (warp.waits_for_memory) {
    candidate.ready = kNever;
    return;
  }
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const auto scoreboard = static_cast<std::size_t>(std::countr_zero(left));
    if (warp.scoreboard[scoreboard] <= warp.ready) continue;
    warp.ready = warp.scoreboard[scoreboard];
    warp.reason = (warp.long_mask >> scoreboard & 1U) != 0 ? Stall::long_scoreboard : Stall::short_scoreboard;
  }
  candidate.ready = warp.ready;
}

void Sm::wake(Warp& warp) {
  SubPartition& sub = subs_[warp.sub];
  Candidate& candidate = sub.candidates[warp.position];
  resolve_dependencies(warp, candidate);
  if (!warp.waits_for_memory) sub.next = std::min(sub.next, std::max(candidate.ready, sub.dispatch_free));
}

void Sm::arrive_at_barrier(Warp& warp, Candidate& candidate, Cycle now) {
  CtaSlot& slot = slots_[warp.slot];
  warp.at_barrier = true;
  candidate.pipe = pipes_[warp.pc->op].pipe;
  candidate.ready = kNever;
  const Cycle counted = barrier_unit_.take(now, barrier_arrival_cycles_) + barrier_arrival_cycles_;
  if (++slot.arrived[warp.barrier] == slot.alive) release_barrier(slot, warp.barrier, counted);
}

void Sm::release_barrier(CtaSlot& slot, std::size_t barrier, Cycle now) {
  slot.arrived[barrier] = 0;
  lsu_.pass_barrier(now, counters_);
  for (const std::uint16_t w : slot.warps) {
    Warp& warp = warps_[w];
    if (!warp.at_barrier) continue;
    warp.at_barrier = false;
    warp.ready = std::max(warp.after_stall, now + barrier_cycles_);
    warp.reason = Stall::barrier;
    wake(warp);
  }
}

void Sm::exit_warp(Warp& warp, Cycle now) {
  CtaSlot& slot = slots_[warp.slot];
  subs_[warp.sub].candidates[warp.position].ready = kNever;
  counters_.warp_cycles += static_cast<std::uint64_t>(now + 1 - warp.start);
  warp.exited = true;
  if (--slot.alive > 0) {
    for (std::size_t b = 0; b < kBarriers; ++b)  // the others may have waited for this one only
      if (slot.arrived[b] == slot.alive) release_barrier(slot, b, now);
    return;
  }
  remove_warps(slot);
  ++counters_.ctas;
  finished_.push_back({slot.cta, slot.start, now + 1, id_});
  if (--resident_ == 0) counters_.active_cycles += static_cast<std::uint64_t>(now + 1 - active_since_);
  free_slots_.push_back(static_cast<int>(warp.slot));
}

void Sm::remove_warps(const CtaSlot& slot) {
  const auto of_slot = [&](const Candidate& c) { return &slots_[warps_[c.warp].slot] == &slot; };
  for (SubPartition& sub : subs_) {
    std::erase_if(sub.candidates, of_slot);
    for (std::size_t i = 0; i < sub.candidates.size(); ++i)
      warps_[sub.candidates[i].warp].position = static_cast<std::uint16_t>(i);
  }
}

SmCounters Sm::counters() const {
  SmCounters result = counters_;
  if (resident_ > 0) result.active_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, clock_ - active_since_));
  for (const SubPartition& sub : subs_)
    for (const Candidate& candidate : sub.candidates) {
      const Warp& warp = warps_[candidate.warp];
      if (!warp.exited) result.warp_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, clock_ - warp.start));
    }
  return result;
}

void Sm::deliver(const std::vector<MemoryReply>& replies) {
  if (replies.empty()) return;
  arrivals_.clear();
  for (const MemoryReply& reply : replies) lsu_.deliver(reply, arrivals_);
  for (const LoadStoreUnit::Arrival& arrival : arrivals_) {
    if (arrival.scoreboard >= kScoreboards) continue;
    Warp& warp = warps_[arrival.warp];
    warp.scoreboard[arrival.scoreboard] = std::max(warp.scoreboard[arrival.scoreboard], arrival.ready);
    if (--warp.out[arrival.scoreboard] == 0)
      warp.out_mask = static_cast<std::uint8_t>(warp.out_mask & ~(1U << arrival.scoreboard));
    if (warp.waits_for_memory && !warp.at_barrier) wake(warp);
  }
  if (global_blocked_until_ == kNever) {  // a place will be free: look again
    global_blocked_until_ = 0;
    for (SubPartition& sub : subs_)
      for (const Candidate& candidate : sub.candidates)
        sub.next = std::min(sub.next, std::max(clock_, candidate.ready));
  }
}

}  // namespace tilescope
