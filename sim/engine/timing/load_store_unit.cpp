#include "sim/engine/timing/load_store_unit.h"

#include <algorithm>
#include <functional>

#include "models/tag_stage.h"

namespace tilescope {

LoadStoreUnit::LoadStoreUnit(const GpuSpec& gpu, const PatternTable& patterns, std::int64_t l1_kib, int sm)
    : patterns_(patterns),
      l1_(gpu.l1, l1_kib),
      pipeline_cycles_(gpu.lsu.pipeline_cycles),
      shared_latency_(gpu.shared.latency_cycles),
      shuffle_latency_(gpu.pipes.shuffle_latency_cycles),
      l1_latency_(gpu.l1.latency_cycles),
      issue_cycles_(gpu.lsu.issue_cycles),
      store_registers_per_cycle_(gpu.lsu.store_registers_per_cycle),
      wavefront_cycles_(gpu.lsu.wavefront_cycles),
      barrier_wavefronts_(gpu.lsu.barrier_wavefronts),
      write_sector_cycles_(gpu.crossbar.write_sector_cycles),
      write_partial_cycles_(gpu.crossbar.write_partial_cycles),
      max_in_flight_(gpu.lsu.max_outstanding_lines),
      sm_(static_cast<std::uint16_t>(sm)),
      ports_(static_cast<std::size_t>(gpu.sm.sub_partitions)) {
  for (Lane* lane : {&shared_lane_, &global_lane_}) {
    lane->waiting.resize(ports_.size());
    for (Ring& ring : lane->waiting) ring.left.assign(static_cast<std::size_t>(gpu.lsu.queue_entries), 0);
    lane->queue.left.assign(static_cast<std::size_t>(gpu.lsu.shared_queue_entries), 0);
  }
}

Cycle LoadStoreUnit::room_at(const Lane& lane, std::uint8_t sub) const {
  return std::max(ports_[sub].issued + issue_cycles_, lane.waiting[sub].oldest());
}

// Queue of the sub-partition, queue of the SM, tag stage, data stage: each is entered when there is room, in order of
// issue.
LoadStoreUnit::Stages LoadStoreUnit::pass(Lane& own, Lane& other, Cycle now, std::int64_t tag, std::int64_t wavefronts,
                                          std::uint8_t sub) {
  SubPort& port = ports_[sub];
  port.issued = now;
  const Cycle queued = std::max(now, own.queue.oldest());
  own.waiting[sub].push(queued);
  const Cycle tagged = tag == 0 ? queued + pipeline_cycles_ : tag_stage_.take(queued + pipeline_cycles_, tag);
  const Cycle looked_up = tagged + std::max<std::int64_t>(0, tag - 1);  // the last of its lines
  // The stage works on for the other sub-partitions while this one's port is busy.
  const Cycle by_stage = own.take(other, looked_up, wavefronts);
  const Cycle by_port = port.data.take(looked_up, wavefronts * wavefront_cycles_);
  const Cycle start = std::max(by_stage, by_port);
  own.queue.push(start - pipeline_cycles_);
  return {tagged, start, start + std::max<std::int64_t>(0, wavefronts - 1) * wavefront_cycles_};
}

// The instruction's own cycle, and those in which it hands over its data.
Cycle LoadStoreUnit::store_dispatch(const MemoryOperand& operand) const {
  const std::int64_t registers = (patterns_.pattern(operand.pattern).bytes + kBankBytes - 1) / kBankBytes;
  return 1 + (registers + store_registers_per_cycle_ - 1) / store_registers_per_cycle_;
}

LoadStoreUnit::Timing LoadStoreUnit::issue(const Instruction& instruction, const MemoryOperand* operands, Cycle now,
                                           std::uint16_t warp, std::uint8_t sub, SmCounters& counters) {
  switch (instruction.op) {
    case OpClass::global_load:
    case OpClass::local_load:
      return issue_global_load(instruction, operands[0], now, warp, sub, counters);
    case OpClass::async_copy: {
      const Timing timing = issue_global_load(instruction, operands[0], now, warp, sub, counters);
      const BankCost& cost = patterns_.shared_cost(operands[1].pattern, SharedOp::store);
      shared_lane_.take(global_lane_, timing.dequeued, cost.wavefronts);
      return timing;
    }
    case OpClass::global_store:
    case OpClass::local_store:
    case OpClass::global_atomic:
      return issue_global_store(operands[0], now, sub, counters);
    case OpClass::shuffle: {
      const Stages stages = pass(shared_lane_, global_lane_, now, 0, 1, sub);
      return {stages.start, stages.last - pipeline_cycles_ + shuffle_latency_};
    }
    default:
      return issue_shared(instruction, operands[0], now, sub, counters);
  }
}

// Every lane predicated off: no request, but the instruction takes its turn at the data stage.
LoadStoreUnit::Timing LoadStoreUnit::issue_nothing(Lane& own, Lane& other, Cycle now, std::uint8_t sub, Cycle latency,
                                                   SmCounters& counters) {
  ++counters.data_wavefronts;
  const Stages stages = pass(own, other, now, 0, 1, sub);
  return {stages.start, stages.last - pipeline_cycles_ + latency};
}

void LoadStoreUnit::pass_barrier(Cycle now, SmCounters& counters) {
  counters.data_wavefronts += static_cast<std::uint64_t>(barrier_wavefronts_);
  shared_lane_.take(global_lane_, now, barrier_wavefronts_);
}

LoadStoreUnit::Timing LoadStoreUnit::issue_shared(const Instruction& instruction, const MemoryOperand& operand,
                                                  Cycle now, std::uint8_t sub, SmCounters& counters) {
  const bool is_load = instruction.op == OpClass::shared_load || instruction.op == OpClass::matrix_load;
  const BankCost& cost = patterns_.shared_cost(operand.pattern, is_load ? SharedOp::load : SharedOp::store);
  if (cost.wavefronts == 0) return issue_nothing(shared_lane_, global_lane_, now, sub, shared_latency_, counters);
  (is_load ? counters.shared_load_wavefronts : counters.shared_store_wavefronts) +=
      static_cast<std::uint64_t>(cost.wavefronts);
  (is_load ? counters.shared_load_ideal : counters.shared_store_ideal) += static_cast<std::uint64_t>(cost.ideal);
  counters.data_wavefronts += static_cast<std::uint64_t>(cost.wavefronts);

  const Stages stages = pass(shared_lane_, global_lane_, now, 0, cost.wavefronts, sub);
  return {stages.start, stages.last - pipeline_cycles_ + shared_latency_, is_load ? 1 : store_dispatch(operand)};
}

LoadStoreUnit::Timing LoadStoreUnit::issue_global_load(const Instruction& instruction, const MemoryOperand& operand,
                                                       Cycle now, std::uint16_t warp, std::uint8_t sub,
                                                       SmCounters& counters) {
  const Footprint& footprint = patterns_.footprint(operand.pattern, operand.base);
  const LineAddress base_line = LineAddress::of(operand.base);
  if (footprint.lines.empty()) return issue_nothing(global_lane_, shared_lane_, now, sub, l1_latency_, counters);
  ++counters.global_load_requests;
  counters.global_load_sectors += static_cast<std::uint64_t>(footprint.sectors);
  const std::int64_t tag = tag_cycles(footprint, base_line);
  counters.tag_cycles += static_cast<std::uint64_t>(tag);
  counters.data_wavefronts += static_cast<std::uint64_t>(footprint.data_wavefronts);

  const Stages stages = pass(global_lane_, shared_lane_, now, tag, footprint.data_wavefronts, sub);
  Timing timing{stages.start, stages.last - pipeline_cycles_ + l1_latency_};

  std::uint32_t load = kNone;
  Cycle leaves = stages.tagged;  // one line goes out per cycle
  for (const LineSectors& touched : footprint.lines) {
    const LineAddress line = base_line + touched.line;
    L1Cache::Lookup found{};
    if (instruction.cached != 0)
      found = l1_.load(line, touched.sectors);
    else
      found.missing = touched.sectors;
    counters.global_load_hit_sectors += (found.present | found.pending).count();
    if (found.present.any()) timing.complete = std::max(timing.complete, found.ready);
    if ((found.pending | found.missing).any() && load == kNone) {
      load = take(loads_, free_load_);
      loads_[load] = {0, 0, kNone, warp, instruction.write_scoreboard};
    }
    std::uint32_t last = kNone;
    for (const std::size_t s : found.pending)
      if (found.waits_for[s] != last) wait_for(last = found.waits_for[s], load);
    if (found.missing.any()) {
      counters.fill_sectors += found.missing.count();
      const std::uint32_t fill = send(line, found.missing, RequestKind::read, leaves = egress_.take(leaves, 1));
      if (instruction.cached != 0) l1_.allocate(line, found.missing, fill);
      wait_for(fill, load);
    }
  }
  if (load != kNone) {
    timing.pending = true;
    loads_[load].latest = timing.complete;
    tag_stage_.next_free =
        std::max(tag_stage_.next_free, leaves + 1);  // it holds the request until its misses have left
  }
  return timing;
}

LoadStoreUnit::Timing LoadStoreUnit::issue_global_store(const MemoryOperand& operand, Cycle now, std::uint8_t sub,
                                                        SmCounters& counters) {
  const Footprint& footprint = patterns_.footprint(operand.pattern, operand.base);
  const LineAddress base_line = LineAddress::of(operand.base);
  if (footprint.lines.empty()) return issue_nothing(global_lane_, shared_lane_, now, sub, 0, counters);
  ++counters.global_store_requests;
  counters.global_store_sectors += static_cast<std::uint64_t>(footprint.sectors);
  const std::int64_t tag = tag_cycles(footprint, base_line);
  counters.tag_cycles += static_cast<std::uint64_t>(tag);
  counters.data_wavefronts += static_cast<std::uint64_t>(footprint.data_wavefronts);

  const Stages stages = pass(global_lane_, shared_lane_, now, tag, footprint.data_wavefronts, sub);
  for (const LineSectors& touched : footprint.lines) {
    const bool partial = touched.whole != touched.sectors;
    const Cycle sent = egress_.take(
        stages.start, touched.sectors.count() * write_sector_cycles_ + (partial ? write_partial_cycles_ : 0));
    send(base_line + touched.line, touched.sectors, partial ? RequestKind::partial_write : RequestKind::write, sent);
  }
  global_lane_.data_free =
      std::max(global_lane_.data_free, egress_.next_free);  // what follows waits until the data has left
  return {stages.start, stages.start, store_dispatch(operand)};
}

Cycle LoadStoreUnit::global_room(Cycle now) {
  retire(now);
  if (in_flight_ < max_in_flight_) return 0;
  return known_.empty() ? kNever : known_.front();
}

void LoadStoreUnit::deliver(const MemoryReply& reply, std::vector<Arrival>& arrivals) {
  Fill& fill = fills_[reply.fill];
  known_.push_back(reply.ready);
  std::push_heap(known_.begin(), known_.end(), std::greater<>{});
  if (!fill.is_write) l1_.filled(fill.line, reply.fill, reply.ready);
  for (std::uint32_t w = fill.first_waiter; w != kNone;) {
    const Waiter waiter = waiters_[w];
    Load& load = loads_[waiter.load];
    load.latest = std::max(load.latest, reply.ready);
    if (--load.sectors_out == 0) {
      arrivals.push_back({load.warp, load.scoreboard, load.latest});
      load.next_free = free_load_;
      free_load_ = waiter.load;
    }
    waiters_[w].next = free_waiter_;
    free_waiter_ = w;
    w = waiter.next;
  }
  fill.next_free = free_fill_;
  free_fill_ = reply.fill;
}

std::uint32_t LoadStoreUnit::send(LineAddress line, SectorMask sectors, RequestKind kind, Cycle when) {
  const std::uint32_t fill = take(fills_, free_fill_);
  fills_[fill] = {line, kNone, kNone, is_write(kind)};
  outbox_.push_back({when, line, fill, sm_, sectors, kind});
  ++in_flight_;
  return fill;
}

void LoadStoreUnit::wait_for(std::uint32_t fill, std::uint32_t load) {
  const std::uint32_t waiter = take(waiters_, free_waiter_);
  waiters_[waiter] = {load, fills_[fill].first_waiter};
  fills_[fill].first_waiter = waiter;
  ++loads_[load].sectors_out;
}

void LoadStoreUnit::retire(Cycle now) {
  while (!known_.empty() && known_.front() <= now) {
    std::pop_heap(known_.begin(), known_.end(), std::greater<>{});
    known_.pop_back();
    --in_flight_;
  }
}

template <class Node>
std::uint32_t LoadStoreUnit::take(std::vector<Node>& pool, std::uint32_t& free_list) {
  if (free_list == kNone) {
    pool.emplace_back();
    return static_cast<std::uint32_t>(pool.size() - 1);
  }
  const std::uint32_t index = free_list;
  if constexpr (requires { pool[index].next_free; })
    free_list = pool[index].next_free;
  else
    free_list = pool[index].next;
  return index;
}

}  // namespace tilescope
