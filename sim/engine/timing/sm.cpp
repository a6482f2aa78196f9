#include "sim/engine/timing/sm.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilescope {
namespace {

// CTAs are dealt out to all TPCs before one gets a second, but those of a cluster stand side by side.
bool leaves_partners_idle(const GpuSpec& gpu, const Launch& launch) {
  return !launch.clustered() && launch.grid.count() * kSmsPerTpc <= gpu.sm.count();
}

// SMs of a GPC that have CTAs when a launch begins, as CTAs are dealt out evenly.
double busy_sms_of_gpc(const GpuSpec& gpu, const Launch& launch) {
  const std::int64_t busy = std::min(gpu.sm.count(), launch.grid.count());
  return std::max(1.0, static_cast<double>(busy) / static_cast<double>(gpu.sm.gpcs.size()));
}

}  // namespace

Sm::Sm(const GpuSpec& gpu, const Kernel& kernel, const AccessCosts& costs, const Occupancy& occupancy, int id)
    : id_(id),
      pipes_(gpu),
      branch_cycles_(gpu.pipes.branch_cycles),
      meeting_cycles_(gpu.pipes.meeting_cycles),
      jump_cycles_(gpu.instruction_cache.jump_cycles),
      uniform_row_cycles_(gpu.pipes.uniform_operand_cycles),
      more_for_cluster_rank_(gpu.pipes.cluster_rank_cycles - gpu.pipes.special_latency_cycles),
      barrier_cycles_(gpu.pipes.barrier_cycles),
      warp_interval_(gpu.launch.warp_interval_cycles),
      barrier_arrival_cycles_(gpu.pipes.barrier_arrival_cycles),
      group_tensor_latency_(gpu.pipes.group_tensor_latency_cycles),
      asynchronous_(gpu.asynchronous),
      fences_(gpu.fences),
      instruction_cache_(gpu.instruction_cache, kernel.code().size(), busy_sms_of_gpc(gpu, kernel.launch())),
      constant_cache_(gpu.constant_cache, static_cast<int>(gpu.sm.sub_partitions), kernel.code(),
                      leaves_partners_idle(gpu, kernel.launch())),
      kernel_(kernel),
      subs_(static_cast<std::size_t>(gpu.sm.sub_partitions), SubPartition(gpu)),
      slots_(occupancy),
      places_(subs_.size(), occupancy.warps_per_sub_partition),
      first_ctas_(static_cast<std::size_t>(occupancy.ctas_per_sm)),
      warps_(slots_.warps()),
      lsu_(gpu, costs, occupancy.l1_kib, id, warps_.size()),
      bulk_copies_(gpu.asynchronous, id) {
  const auto has = [&kernel](OpClass op) {
    return std::any_of(kernel.code().begin(), kernel.code().end(),
                       [op](const Instruction& one) { return one.op == op; });
  };
  if (has(OpClass::membar)) lsu_.track_stores();
  if (has(OpClass::async_copy) || has(OpClass::async_commit) || has(OpClass::async_wait) || has(OpClass::bulk_commit) ||
      has(OpClass::bulk_store) || has(OpClass::bulk_reduction) || has(OpClass::copy_arrival))
    lsu_.track_copies();
  meets_cluster_ = has(OpClass::cluster_barrier);
  if (has(OpClass::group_tensor) || has(OpClass::group_wait)) products_.resize(warps_.size());
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

// From when on the warp's next instruction may issue; kNever: not known yet.
inline Cycle Sm::resolve_dependencies(Warp& warp) {
  if (warp.at_fence && !pass_fence(warp)) return kNever;
  const unsigned mask = pipes_[warp.pc->op].waits ? resolve_own_wait(warp) : unsigned{warp.pc->wait_mask};
  warp.waits_for_memory = warp.scoreboards.unknown(mask);
  if (warp.waits_for_memory) return kNever;
  if (mask == 0) return warp.times.ready;
  const Scoreboards::Ready ready = warp.scoreboards.ready(mask, warp.times.ready);
  if (ready.waits) {
    warp.times.ready = ready.when;
    warp.times.reason = ready.is_long ? Stall::long_scoreboard : Stall::short_scoreboard;
  }
  return warp.times.ready;
}

// The scoreboards that an instruction waits for which asks for more than its wait mask names. One that waits for groups
// of copies or products makes the warp ready when they have landed.
[[gnu::noinline]] unsigned Sm::resolve_own_wait(Warp& warp) {
  const Instruction& instruction = *warp.pc;
  // A warp that exits first takes what it asked for from global memory.
  if (instruction.op == OpClass::exit) return instruction.wait_mask | warp.scoreboards.memory_mask();
  Cycle until = 0;
  Stall reason = Stall::long_scoreboard;
  if (order_of(instruction.op) == Order::products) {
    if (instruction.detail != 0) until = products_[index_of(warp)].at_most(instruction.detail - 1U);
    reason = Stall::gmma;
  } else if (order_of(instruction.op) == Order::copy_group) {
    until = lsu_.copies(index_of(warp)).room();
  } else if (instruction.counted_by() < kScoreboards) {
    if (instruction.left_out() == 0)  // for whatever else the scoreboard counts, too
      return instruction.wait_mask | 1U << instruction.counted_by();
    until = lsu_.copies(index_of(warp)).at_most(instruction.counted_by(), instruction.left_out());
  }
  if (until == kNever) return instruction.wait_mask | Scoreboards::kUnknown;
  if (until > warp.times.ready) {
    warp.times.ready = until;
    warp.times.reason = reason;
  }
  return instruction.wait_mask;
}

// The code from the warp's next instruction on, as far as it and the constants that it reads are there without another
// fetch. At the beginning of a straight run it `arrives`, to which it may have jumped.
void Sm::fetch(Warp& warp, bool arrives, bool jumped) {
  const auto code = std::span(kernel_.code());
  const auto index = static_cast<std::size_t>(warp.pc - code.data());
  const auto most = static_cast<std::size_t>(warp.segment_end - warp.pc);
  const Cycle comes = warp.times.after_stall + (arrives ? subs_[warp.sub].code.run(index, index + most) : 0) +
                      (jumped ? jump_cycles_ : 0);
  const Cycle there = instruction_cache_.fetch(index, comes);
  const Cycle complete = constant_cache_.operand(warp.sub, *warp.pc, there);
  warp.times.unfetched = there - warp.times.after_stall;
  warp.times.constants = complete - there;
  warp.times.after_stall = complete;
  const std::size_t fetched = instruction_cache_.settled(index, most, complete);
  warp.end = warp.pc + constant_cache_.settled(warp.sub, code, index, fetched, complete);
}

bool Sm::next_segment(Warp& warp) {
  if (!warp.next_segment()) return false;
  first_ctas_.add(warp.slot, static_cast<std::uint64_t>(warp.segment_end - warp.pc));
  return true;
}

// At the end of a straight run, whose last instruction was issued at `now`: false when the warp has ended. A branch
// that goes elsewhere takes longer than its stall count; one that does not costs no more than that.
bool Sm::go_on(Warp& warp, Cycle now) {
  const Instruction* const before = warp.pc;
  const bool arrives = warp.pc == warp.segment_end;
  if (arrives && !next_segment(warp)) return false;
  const bool jumps = warp.pc != before;
  if (jumps) resolve_branch(warp, now + branch_cycles_);
  fetch(warp, arrives, jumps);
  return true;
}

void Sm::resolve_branch(Warp& warp, Cycle resolved) {
  const Cycle longer = std::max<Cycle>(0, resolved - warp.times.after_stall);
  warp.times.branching += longer;
  warp.times.after_stall += longer;
}

void Sm::launch_cta(std::int64_t cta, Cycle start) {
  start = std::max(start, clock_);
  if (slots_.resident() == 0) active_since_ = std::max(start, active_until_);
  const std::uint16_t s = slots_.take(cta, start);
  CtaSlot& slot = slots_[s];
  slot.cluster = kernel_.launch().cluster_of(cta);
  slot.rank = static_cast<std::uint32_t>(kernel_.launch().rank_in_cluster(cta));

  const std::size_t first = places_.emptiest();
  for (std::size_t w = 0; w < slot.warps.size(); ++w) {
    Warp& warp = warps_[slot.warps[w]];
    if (!warp.stream) warp.stream = kernel_.make_stream();
    warp.stream->start(cta, static_cast<int>(w), Operands::all);
    warp.scoreboards.clear();
    lsu_.forget_copies(slot.warps[w]);
    if (!products_.empty()) products_[slot.warps[w]] = {};
    warp.cluster_arrivals = 0;
    warp.at_cluster_barrier = false;
    warp.at_barrier = warp.past_barrier = warp.stands = warp.at_fence = warp.waits_for_memory = warp.exited = false;
    warp.start = start + std::llround(static_cast<double>(w) * warp_interval_);
    warp.times.last_issue = warp.start - 1;
    warp.stores_left = 0;
    warp.times.after_stall = warp.start;
    warp.slot = s;
    warp.sub = static_cast<std::uint8_t>((first + w) % subs_.size());
    places_.take(warp.sub);
    if (next_segment(warp)) fetch(warp, true, false);
    SubPartition& sub = subs_[warp.sub];
    warp.position = static_cast<std::uint16_t>(sub.scheduler.add(slot.warps[w], s));
    prepare_next(sub, warp);
    sub.scheduler.count(warp.position, 0);
    sub.next = std::min(sub.next, std::max(warp.start, sub.port.next()));
  }
}

Cycle Sm::next_event() const {
  Cycle next = kNever;
  for (const SubPartition& sub : subs_) next = std::min(next, sub.next);
  return std::min(next, answers_.next());
}

// Cycle by cycle, of those in which a sub-partition may issue; in a cycle, sub-partition by sub-partition.
void Sm::advance(Cycle until) {
  Cycle now = next_event();
  while (now < until) {
    Cycle next = kNever;
    woken_ = false;
    if (answers_.next() <= now) serve_answers(now);
    for (SubPartition& sub : subs_) {
      if (sub.next <= now) issue_one(sub, now);
      next = std::min(next, sub.next);
    }
    now = woken_ ? next_event() : std::min(next, answers_.next());
  }
  clock_ = until;
}

// A 64-bit register pair is added to, whose odd one is read late.
inline bool adds_pair(const Instruction& instruction) {
  return instruction.op == OpClass::imad_wide && bank_reads(instruction.register_reads, 0).count > 0 &&
         bank_reads(instruction.register_reads, 1).count > 0;
}

// Part of issue_one, where all time goes; a listener has a copy of its own beside it.
[[gnu::always_inline]] inline void Sm::execute(SubPartition& sub, std::uint16_t index, Cycle now) {
  Warp& warp = warps_[index];
  const Instruction& instruction = *warp.pc;
  const PipeUse& use = pipes_[instruction.op];
  account(sub, use, warp, now);
  ++counters_.instructions[static_cast<std::size_t>(instruction.op)];

  const Cycle dispatch = execute_on_pipe(sub, use, warp, index, now);
  const Cycle still =
      sub.port.take(now, dispatch, uses_load_store_unit(instruction.op) ? std::uint8_t{} : instruction.register_reads,
                    adds_pair(instruction), use.arithmetic, written());
  if (still > 0) stand_still(sub, still);
  sub.next = sub.port.next();

  warp.times.last_issue = now;
  warp.times.after_stall = sub.port.after(std::max<Cycle>(1 + instruction.yield, instruction.stall));
  warp.times.branching = warp.times.unfetched = warp.times.constants = 0;
  ++warp.pc;
  if (!use.goes_on) {
    leave_straight_line(sub, warp, instruction, now);
    return;
  }
  if (warp.pc == warp.end && !go_on(warp, now)) {  // a stream that ends without EXIT
    exit_warp(warp, now);
    return;
  }
  prepare_next(sub, warp);
}

// The dispatch port is kept for `cycles` more.
void Sm::stand_still(SubPartition& sub, Cycle cycles) {
  sub.scheduler.stand_still(sub.port.stop(), cycles, [this, cycles](std::uint16_t index) {
    IssueTimes& times = warps_[index].times;
    times.after_stall += cycles;
    times.ready = std::max(times.ready, times.after_stall);
  });
}

[[gnu::noinline]] void Sm::execute_told(SubPartition& sub, std::uint16_t index, Cycle now) {
  const Warp& warp = warps_[index];
  const CtaSlot& slot = slots_[warp.slot];
  const auto place = std::find(slot.warps.begin(), slot.warps.end(), index) - slot.warps.begin();
  const Issue issue{*warp.pc, slot.cta, static_cast<int>(place), now};
  const WorkCounters before = counters_;
  execute(sub, index, now);
  listener_->issued(issue, before, counters_);
}

void Sm::issue_one(SubPartition& sub, Cycle now) {
  if (sub.port.stands(now)) {
    sub.next = sub.port.goes_on();
    return;
  }
  if (sub.port.loads().any()) [[unlikely]] {
    sub.port.advance(now, written());
    if (sub.port.loads().full() && sub.pipe_free[static_cast<std::size_t>(Pipe::mio)] <= now)
      sub.take(Pipe::mio, now, now + RegisterWrites::kRefill);
  }
  const Scheduler::Choice choice = sub.scheduler.choose(now, sub.pipe_free, [&](Cycle when) {
    if (std::max(when, global_blocked_until_) <= now) global_blocked_until_ = lsu_.global_room(now);
    return global_blocked_until_;
  });
  if (choice.place == Scheduler::kNone) {
    sub.next = std::min(choice.earliest, sub.port.next_written());
    return;
  }
  const std::uint16_t warp = sub.scheduler.warp(choice.place);
  sub.scheduler.issue(choice.place, now, warps_[warp].pc->yield == 0);
  if (listener_ == nullptr) [[likely]]
    execute(sub, warp, now);
  else
    execute_told(sub, warp, now);
}

// After a branch, an exit, a barrier, a fence, a group of asynchronous copies or a wait for such.
void Sm::leave_straight_line(SubPartition& sub, Warp& warp, const Instruction& instruction, Cycle now) {
  if (instruction.op == OpClass::exit) {
    exit_warp(warp, now);
    return;
  }
  if (is_turn(instruction.op) && instruction.turn() == Turn::meets) resolve_branch(warp, now + meeting_cycles_);
  // Before the next segment takes the place of its operands.
  const NamedBarrier named =
      order_of(instruction.op) == Order::barrier ? barrier_of(warp, instruction) : NamedBarrier();
  if (warp.pc == warp.end && !go_on(warp, now)) {
    exit_warp(warp, now);
    return;
  }
  switch (order_of(instruction.op)) {
    case Order::cluster_arrival:
      ++warp.cluster_arrivals;
      cluster_arrivals_.push_back({slots_[warp.slot].cluster,
                                   barrier_unit_.take(now, barrier_arrival_cycles_) + barrier_arrival_cycles_, false});
      prepare_next(sub, warp);
      break;
    case Order::cluster:
      wait_for_cluster(sub, warp);
      break;
    case Order::none:
    case Order::copies:  // it has waited
    case Order::products:
      prepare_next(sub, warp);
      break;
    case Order::copy_group:
      lsu_.copies(index_of(warp)).close(instruction.counts_group_by(), now, warp.scoreboards);
      prepare_next(sub, warp);
      break;
    case Order::barrier:
      arrive_at_barrier(sub, warp, named, now);
      break;
    case Order::fence:
      warp.at_fence = true;
      warp.fence = instruction.scope();
      warp.fence_until = fences_.pass(warp.times.after_stall, warp.fence);
      prepare_next(sub, warp);
      break;
    case Order::invalidation:
      prepare_next(sub, warp);
      if (lsu_.invalidate_l1()) delay(sub, warp, now + fences_.invalidation_cycles());
      break;
  }
}

// An LDC, or a register that the lanes of a warp share. Returns how much later than usual it has its value.
[[gnu::noinline]] Cycle Sm::load_constant(const Warp& warp, Cycle now) {
  lsu_.issue_beside(now, warp.sub, constant_cache_.load_issue_cycles());
  const bool constant = warp.pc->op == OpClass::constant_load;
  return constant_cache_.load(warp.sub, constant ? warp.pc->constant : ConstantLine::kNone, now);
}

// Returns for how long the instruction keeps the dispatch port.
inline Cycle Sm::execute_on_pipe(SubPartition& sub, const PipeUse& use, Warp& warp, std::uint16_t index, Cycle now) {
  const Instruction& instruction = *warp.pc;
  Cycle later = 0;
  switch (use.pipe) {
    case Pipe::mio:
    case Pipe::lg:
      if (uses_load_store_unit(instruction.op))
        issue_memory(use, warp, index, sub.port.arrival(now));
      else if (is_asynchronous(instruction.op))
        later = issue_asynchronous(warp, index, now);
      else if (instruction.op == OpClass::constant_load || instruction.op == OpClass::warp_special)
        later = load_constant(warp, now);
      else if (instruction.op == OpClass::fence)  // passes the data stage behind what its warp has stored
        later = lsu_.queue(now, {index, warp.sub});
      else
        lsu_.issue_beside(now, warp.sub);
      if (instruction.reads_cluster_rank()) later = more_for_cluster_rank_;
      sub.take(Pipe::mio, now, std::max(lsu_.shared_room_at(warp.sub), constant_cache_.load_room_at(warp.sub)));
      sub.take(Pipe::lg, now, lsu_.global_room_at(warp.sub));
      break;
    case Pipe::tensor:
      if (instruction.op == OpClass::group_tensor)
        issue_products(sub, warp, index, now);
      else
        issue_product(sub, warp, now);
      break;
    case Pipe::none:
      break;
    default: {
      const Cycle comes = sub.port.arrival(now);
      if (use.holds_up)
        sub.take(use.pipe, comes, comes + use.interval);
      else
        sub.pipe_free[static_cast<std::size_t>(use.pipe)] = comes + use.interval;
      if (use.half != FmaHalf::none) sub.multiply_add(use, comes);
      if (instruction.uniform_rows != 0) sub.read_uniform(now, instruction.uniform_rows * uniform_row_cycles_);
    }
  }
  if (use.latency != 0)
    warp.scoreboards.set(instruction.write_scoreboard, now + use.latency + later, instruction.op == OpClass::fence);
  return use.dispatch;
}

// A product of the warp alone.
inline void Sm::issue_product(SubPartition& sub, const Warp& warp, Cycle now) {
  const Cycle start = std::max(now, sub.products_until), end = start + pipes_.tensor_interval(*warp.pc);
  sub.take(Pipe::tensor, now, end);
  sub.port.read_both_banks(now, pipes_.tensor_operands(*warp.pc));
  tensor_work_ = {std::min(tensor_work_.from, start), std::max(tensor_work_.until, end)};
  if (listener_ != nullptr) listener_->multiplies(slots_[warp.slot].cta, warp.sub, start, end);
}

// A product of the warp's warpgroup: its part on this sub-partition's tensor core, behind those that it has. The warp
// goes on. Its operands take their turn at the data stage now, in the order of issue, although the core may read them
// later: a place taken ahead would keep the other sub-partitions' products waiting behind a stage that stands idle.
[[gnu::noinline]] void Sm::issue_products(SubPartition& sub, const Warp& warp, std::uint16_t index, Cycle now) {
  const Cycle start = std::max(now, sub.products_until);
  counters_.operand_rows += static_cast<std::uint64_t>(warp.pc->rows_read());
  const Cycle read = lsu_.read_operands(now, TensorCores::wavefronts(*warp.pc, warp.sub));
  sub.products_until = std::max(start + pipes_.tensor_interval(*warp.pc), read);
  if (TensorCores::wavefronts(*warp.pc) >= pipes_.tensor_interval(*warp.pc)) sub.crowded_until = sub.products_until;
  products_[index].add(sub.products_until + group_tensor_latency_, warp.pc->closes_group());
  tensor_work_ = {std::min(tensor_work_.from, start), std::max(tensor_work_.until, sub.products_until)};
  if (listener_ != nullptr) listener_->multiplies(slots_[warp.slot].cta, warp.sub, start, sub.products_until);
}

// A load from shared memory whose registers are still to be written when it comes, or stands behind such: false when it
// is neither.
inline bool Sm::write_back(Warp& warp, std::uint16_t index, const LoadStoreUnit::Timing& timing) {
  RegisterWrites& loads = subs_[warp.sub].port.loads();
  const std::uint8_t scoreboard = warp.pc->write_scoreboard;
  if (!timing.near || scoreboard >= kScoreboards || (timing.write_back == 0 && !loads.any()) || loads.full())
    return false;
  loads.add({timing.complete, static_cast<std::uint16_t>(timing.write_back), index, scoreboard});
  warp.scoreboards.promise(scoreboard);
  return true;
}

// Apart, so that the way of all other instructions keeps what it needs in registers.
[[gnu::noinline]] void Sm::issue_memory(const PipeUse& use, Warp& warp, std::uint16_t index, Cycle now) {
  const Instruction& instruction = *warp.pc;
  const LoadStoreUnit::Timing timing = lsu_.issue(instruction, warp.operand, now, {index, warp.sub}, counters_);
  const LoadStoreUnit::Operands operands = lsu_.operands_of(instruction, warp.operand);
  subs_[warp.sub].port.read_later(operands.from, operands.registers, operands.each, instruction.register_reads);
  if (instruction.read_scoreboard < kScoreboards)
    warp.scoreboards.set(instruction.read_scoreboard, operands.until, use.pipe == Pipe::lg);
  warp.operand += memory_operands(instruction.op);
  __builtin_prefetch(warp.operand);
  if (!write_back(warp, index, timing))
    warp.scoreboards.set(instruction.write_scoreboard, timing.complete, use.pipe == Pipe::lg);
  if (timing.pending != 0) warp.scoreboards.promise(instruction.write_scoreboard, timing.pending);
  warp.stores_left = std::max(warp.stores_left, timing.left);
  if (timing.store_pending != 0) warp.scoreboards.promise(kStoreBoard, timing.store_pending);
}

inline void Sm::account(const SubPartition& sub, const PipeUse& use, const Warp& warp, Cycle now) {
  const Cycle ready = warp.times.ready;
  Cycle throttled = 0;
  if (use.holds_up && now > ready) {
    throttled = sub.taken[static_cast<std::size_t>(use.pipe)].between(ready, now);
    if (use.pipe == Pipe::lg)
      throttled = std::max(throttled, std::clamp<Cycle>(global_blocked_until_ - ready, 0, now - ready));
  }
  const Cycle port_lost = now == ready ? 0 : sub.port.lost_between(ready, now);
  StallAccount(counters_).issued(warp.times, now, throttled, use.pipe, port_lost);
}

// Of a warp that goes on since it has arrived at a barrier: whether its next instruction has a time.
[[gnu::noinline]] bool Sm::pass_barrier(Warp& warp) {
  if (pipes_[warp.pc->op].passes_barrier) return true;
  if (warp.at_barrier) {
    warp.stands = true;
    return false;
  }
  warp.past_barrier = false;
  if (warp.barrier_open > warp.times.ready) {
    warp.times.ready = warp.barrier_open;
    warp.times.reason = Stall::barrier;
  }
  return true;
}

inline void Sm::prepare_next(SubPartition& sub, Warp& warp) {
  warp.times.ready = warp.times.after_stall;
  warp.times.reason = Stall::wait;
  sub.scheduler.count(warp.position, warp.times.after_stall);
  if (warp.past_barrier && !pass_barrier(warp)) [[unlikely]]
    sub.scheduler.set(warp.position, pipes_[warp.pc->op].pipe, kNever);
  else
    sub.scheduler.set(warp.position, pipes_[warp.pc->op].pipe, resolve_dependencies(warp));
}

// The next instruction waits for a memory barrier until `when`.
void Sm::delay(SubPartition& sub, Warp& warp, Cycle when) {
  if (when <= warp.times.ready || warp.waits_for_memory) return;
  warp.times.ready = when;
  warp.times.reason = Stall::membar;
  sub.scheduler.set(warp.position, when);
}

void Sm::wake(Warp& warp) {
  SubPartition& sub = subs_[warp.sub];
  const Cycle ready = resolve_dependencies(warp);
  sub.scheduler.set(warp.position, ready);
  woken_ = true;
  if (!warp.waits_for_memory) sub.next = std::min(sub.next, std::max(ready, sub.port.next()));
}

void Sm::wait_for_cluster(SubPartition& sub, Warp& warp) {
  const CtaSlot& slot = slots_[warp.slot];
  if (slot.cluster_releases >= warp.cluster_arrivals) {
    warp.times.after_stall = std::max(warp.times.after_stall, slot.cluster_released);
    prepare_next(sub, warp);
    return;
  }
  warp.at_cluster_barrier = true;
  sub.scheduler.set(warp.position, pipes_[warp.pc->op].pipe, kNever);
}

Sm::NamedBarrier Sm::barrier_of(Warp& warp, const Instruction& instruction) {
  if (instruction.op != OpClass::partial_barrier)
    return {instruction.barrier(), instruction.barrier_warps(), instruction.op == OpClass::barrier, true};
  if (warp.asynchronous == nullptr) return {};
  const AsyncOperand& named = *warp.asynchronous++;
  return {static_cast<int>(named.barrier), static_cast<int>(named.arrivals), named.parity == 0, named.complete};
}

void Sm::arrive_at_barrier(SubPartition& sub, Warp& warp, const NamedBarrier& named, Cycle now) {
  CtaSlot& slot = slots_[warp.slot];
  if (!named.takes_part) return prepare_next(sub, warp);
  if (named.waits) {
    warp.at_barrier = warp.past_barrier = true;
    warp.barrier = static_cast<std::uint8_t>(named.barrier);
  }
  prepare_next(sub, warp);
  const Cycle counted = barrier_unit_.take(now, barrier_arrival_cycles_) + barrier_arrival_cycles_;
  if (slot.barriers.arrive(named.barrier, named.warps)) release_barrier(slot, named.barrier, counted);
}

void Sm::release_barrier(CtaSlot& slot, int barrier, Cycle now) {
  lsu_.pass_barrier(now, counters_);
  for (const std::uint16_t w : slot.warps) {
    Warp& warp = warps_[w];
    if (!warp.at_barrier || warp.barrier != barrier) continue;
    warp.at_barrier = false;
    warp.barrier_open = now + barrier_cycles_;
    if (!warp.stands) continue;
    warp.stands = warp.past_barrier = false;
    warp.times.ready = std::max(warp.times.after_stall, warp.barrier_open);
    warp.times.reason = Stall::barrier;
    wake(warp);
  }
}

void Sm::exit_warp(Warp& warp, Cycle now) {
  CtaSlot& slot = slots_[warp.slot];
  subs_[warp.sub].scheduler.set(warp.position, kNever);
  const Cycle gone = std::max(now + 1, warp.stores_left);
  counters_.stall_cycles[static_cast<std::size_t>(Stall::drain)] += static_cast<std::uint64_t>(gone - now - 1);
  counters_.warp_cycles += static_cast<std::uint64_t>(gone - warp.start);
  slot.end = std::max(slot.end, gone);
  slot.stored = std::max(slot.stored, warp.stores_left);
  places_.leave(warp.sub, gone);
  warp.exited = true;
  if (meets_cluster_) cluster_arrivals_.push_back({slot.cluster, now, true});
  const unsigned completed = slot.barriers.leave();
  if (slot.barriers.alive() > 0) {
    for (int b = 0; b < CtaBarriers::kBarriers; ++b)
      if ((completed >> b & 1U) != 0) release_barrier(slot, b, now);
    return;
  }
  for (SubPartition& sub : subs_)
    sub.scheduler.remove(warp.slot, [this](std::uint16_t w, std::uint16_t place) { warps_[w].position = place; });
  ++counters_.ctas;
  first_ctas_.one_ends();
  finished_.push_back({slot.cta, slot.start, slot.end, id_, 0, slot.stored});
  slots_.give_back(warp.slot);
  active_until_ = std::max(active_until_, slot.end);
  if (slots_.resident() == 0) counters_.active_cycles += static_cast<std::uint64_t>(active_until_ - active_since_);
}

void Sm::stays(Cycle end, Cycle until) {
  const auto longer = static_cast<std::uint64_t>(until - end) * slots_.warps_of_cta();
  counters_.stall_cycles[static_cast<std::size_t>(Stall::drain)] += longer;
  counters_.warp_cycles += longer;
  if (until <= active_until_) return;
  if (slots_.resident() == 0) counters_.active_cycles += static_cast<std::uint64_t>(until - active_until_);
  active_until_ = until;
}

SmCounters Sm::counters() const {
  SmCounters result = counters_;
  if (slots_.resident() > 0)
    result.active_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, clock_ - active_since_));
  for (const SubPartition& sub : subs_)
    for (int place = 0; place < sub.scheduler.size(); ++place) {
      const Warp& warp = warps_[sub.scheduler.warp(place)];
      if (!warp.exited) result.warp_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, clock_ - warp.start));
    }
  return result;
}

// Loads whose data have come take their turn at the data stage.
void Sm::serve_answers(Cycle now) {
  while (answers_.next() <= now) {
    const OutstandingMisses::Arrival arrival = answers_.pop();
    take_answer(arrival, lsu_.pass_answer(arrival.ready, arrival.passes, arrival.warp));
  }
}

// What an instruction has waited for is usable from `ready` on.
void Sm::take_answer(const OutstandingMisses::Arrival& arrival, Cycle ready) {
  Warp& warp = warps_[arrival.warp];
  warp.scoreboards.arrived(arrival.scoreboard, ready);
  if (arrival.group != AsyncCopies::kNone) {
    lsu_.copies(arrival.warp).landed(arrival.group, ready, warp.scoreboards);
    if (!copy_arrivals_.empty()) settle_copy_arrivals(arrival.warp);
  } else if (arrival.scoreboard == kNoScoreboard) {
    return;
  }
  if (warp.waits_for_memory && !warp.stands && !warp.at_cluster_barrier) wake(warp);
}

void Sm::deliver(const std::vector<MemoryReply>& replies) {
  if (replies.empty()) return;
  arrivals_.clear();
  for (const MemoryReply& reply : replies) lsu_.deliver(reply, arrivals_);
  for (const OutstandingMisses::Arrival& arrival : arrivals_) {
    if (arrival.passes != 0)
      answers_.push(arrival);
    else
      take_answer(arrival, arrival.ready);
  }
  if (global_blocked_until_ == kNever) {  // a place will be free: look again
    global_blocked_until_ = 0;
    for (SubPartition& sub : subs_) sub.next = std::min(sub.next, std::max(clock_, sub.scheduler.earliest_ready()));
  }
}

}  // namespace tilescope
