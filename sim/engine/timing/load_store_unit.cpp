#include "sim/engine/timing/load_store_unit.h"

#include <algorithm>
#include <bit>

namespace tilescope {
namespace {

constexpr std::int64_t kRegisterBytes = 4;

}  // namespace

LoadStoreUnit::LoadStoreUnit(const GpuSpec& gpu, const AccessCosts& costs, std::int64_t l1_kib, int sm,
                             std::size_t warps)
    : costs_(costs),
      copy_passes_(SharedBanks(gpu.shared)),
      l1_(gpu.l1, l1_kib),
      misses_(gpu.lsu.max_outstanding_lines, sm),
      miss_queue_(gpu.lsu.miss_queue_lines),
      miss_join_cycles_(gpu.lsu.miss_join_cycles),
      pipeline_cycles_(gpu.lsu.pipeline_cycles),
      shared_latency_(gpu.shared.latency_cycles),
      shuffle_latency_(gpu.pipes.shuffle_latency_cycles),
      special_latency_(gpu.pipes.special_latency_cycles),
      l1_latency_(gpu.l1.latency_cycles),
      issue_cycles_(gpu.lsu.issue_cycles),
      operand_cycles_(gpu.lsu.operand_cycles),
      operand_register_cycles_(gpu.lsu.operand_register_cycles),
      operand_store_cycles_(gpu.lsu.operand_store_cycles),
      store_buffer_cycles_(gpu.lsu.store_buffer_cycles),
      wavefront_cycles_(gpu.lsu.wavefront_cycles),
      lines_together_(gpu.lsu.lines_together),
      barrier_wavefronts_(gpu.lsu.barrier_wavefronts),
      barrier_turn_(gpu.lsu.barrier_turn_cycles),
      answer_turn_(gpu.lsu.answer_turn_cycles),
      answer_hit_turn_(gpu.lsu.answer_hit_turn_cycles),
      crossbar_(gpu.crossbar),
      generic_cycles_(gpu.lsu.generic_cycles),
      compare_cycles_(gpu.shared.compare_cycles),
      cluster_bytes_(gpu.asynchronous.cluster_bytes_per_cycle),
      cluster_cycles_(gpu.asynchronous.cluster_cycles),
      ways_(warps),
      queues_(gpu.lsu, static_cast<std::size_t>(gpu.sm.sub_partitions)),
      data_(gpu.lsu.hits_before_answer),
      entry_(static_cast<std::size_t>(gpu.sm.sub_partitions), 0),
      joins_(gpu.lsu) {}

Cycle LoadStoreUnit::room_at(MemoryQueues::Kind kind, std::uint8_t sub) const {
  return std::max(entry_[sub], queues_.room_at(kind, sub));
}

// Shared memory and shuffles: the queues, then the data stage.
LoadStoreUnit::Stages LoadStoreUnit::pass_shared(Cycle now, std::int64_t wavefronts, std::int64_t data, Issuer by) {
  entry_[by.sub] = now + 1;
  const Cycle ready = queues_.enter(MemoryQueues::shared, now, by.sub, false, data) + pipeline_cycles_;
  Stages stages{ready, ready, ready, ready};
  pass_data(DataStage::shared, stages, wavefronts, by);
  queues_.leave_shared(stages.turn - pipeline_cycles_, stages.start - pipeline_cycles_);
  return stages;
}

// Stores to global and local memory, and atomics: the queues, the tag stage, the data stage.
LoadStoreUnit::Stages LoadStoreUnit::pass_global(Cycle now, bool wide, std::int64_t data, std::int64_t tag,
                                                 std::int64_t wavefronts, Issuer by) {
  Stages stages = look_up(now, wide, data, tag, by);
  const Cycle looked_up = stages.start;
  pass_data(DataStage::hits, stages, wavefronts, by);
  queues_.leave_global(looked_up - pipeline_cycles_, stages.start - pipeline_cycles_);
  return stages;
}

// As far as the tag stage; pass_data() and MemoryQueues::leave_global() come next.
LoadStoreUnit::Stages LoadStoreUnit::look_up(Cycle now, bool wide, std::int64_t data, std::int64_t tag, Issuer by) {
  entry_[by.sub] = now + 1;
  const Cycle ready = queues_.enter(MemoryQueues::global, now, by.sub, wide, data) + pipeline_cycles_;
  const Cycle tagged = tag == 0 ? ready : tag_stage_.take(ready, tag);
  const Cycle looked_up = tagged + std::max<std::int64_t>(0, tag - 1);  // the last of its lines
  return {tagged, looked_up, looked_up, looked_up};
}

void LoadStoreUnit::pass_data(DataStage::Lane lane, Stages& stages, std::int64_t wavefronts, Issuer by) {
  // The stage works on for the other warps while this one's wavefronts come every other cycle.
  stages.turn = data_.take(lane, stages.start, wavefronts);
  const Cycle by_way = ways_[by.warp].take(stages.start, wavefronts * wavefront_cycles_);
  stages.start = std::max(stages.turn, by_way);
  stages.last = stages.start + std::max<std::int64_t>(0, wavefronts - 1) * wavefront_cycles_;
}

std::int64_t LoadStoreUnit::registers_of(const MemoryOperand& operand) const {
  return (costs_.pattern(operand).bytes + kRegisterBytes - 1) / kRegisterBytes;
}

// What goes to the SM's queue with the access, besides its address.
std::int64_t LoadStoreUnit::data_registers(const Issue& issue) const {
  return is_load(issue.access) || issue.access == AccessKind::async_store ? 0 : registers_of(issue.operand);
}

LoadStoreUnit::Operands LoadStoreUnit::operands_of(const Instruction& instruction,
                                                   const MemoryOperand* operands) const {
  const OpClass op = instruction.op;
  std::int64_t addresses = memory_operands(op) == 0 ? 1 : 0, data = 0;  // what a shuffle reads
  for (int i = 0; i < memory_operands(op); ++i) {
    const AccessKind access = access_of(op, i);
    addresses += is_shared(access) || is_local(access) ? 1 : 2;
    if (!is_load(access) && access != AccessKind::async_store) data = std::max(data, registers_of(operands[i]));
  }
  if (is_generic(op)) addresses = 2;
  const Cycle begins = queues_.begins() + operand_cycles_;
  const Cycle read = begins + operand_register_cycles_ * addresses + queues_.data_cycles();
  const Cycle later = data != 0 ? operand_store_cycles_ : 0;
  return {static_cast<int>(addresses + data), std::max<Cycle>(1, operand_register_cycles_),
          begins + operand_register_cycles_ - kReadToFree + later, read + later};
}

// Cycles from the last pass of a load until all its registers are written. Where lanes come phase by phase, a register
// is whole only behind the last one, and one is written each cycle; where they come together, two. The fragments of a
// matrix load are a register each as they come.
Cycle LoadStoreUnit::assembly_cycles(const Issue& issue, const BankCost& cost) const {
  if (issue.access != AccessKind::shared_load || issue.instruction.op == OpClass::matrix_load) return 0;
  return std::max<Cycle>({0, cost.ideal - 1, registers_of(issue.operand) / 2 - 1});
}

inline LoadStoreUnit::Timing LoadStoreUnit::issue_shared(const Issue& issue) {
  const bool stores = issue.access == AccessKind::shared_store;
  const BankCost cost = costs_.shared(issue.instruction, issue.access, issue.operand);
  if (cost.wavefronts == 0) return issue_nothing(issue);
  AccessCounters& counters = issue.counters.of(issue.access);
  ++counters.requests;
  counters.wavefronts += static_cast<std::uint64_t>(cost.wavefronts);
  counters.ideal += static_cast<std::uint64_t>(cost.ideal);
  issue.counters.data_wavefronts += static_cast<std::uint64_t>(cost.wavefronts);
  const Stages stages = pass_shared(issue.now, cost.wavefronts, data_registers(issue), issue.by);
  const bool compares = issue.access == AccessKind::shared_atomic && issue.instruction.atomic() == AtomicKind::compare;
  Timing timing{stages.start, stages.last - pipeline_cycles_ + shared_latency_ + (compares ? compare_cycles_ : 0) +
                                  assembly_cycles(issue, cost)};
  timing.write_back = cost.joined;
  timing.near = !stores;
  if (issue.operand.base >> 24U != 0) {  // in another CTA of the cluster: there and back
    const LanePattern& lanes = costs_.pattern(issue.operand);
    const Cycle left = send_to_cluster(stages.start, static_cast<double>(std::popcount(lanes.active)) * lanes.bytes);
    timing.complete = std::max(timing.complete, left + shared_latency_) + 2 * cluster_cycles_;
    timing.near = false;
    timing.write_back = 0;
    if (stores) timing.left = left;
  }
  return timing;
}

LoadStoreUnit::Timing LoadStoreUnit::issue(const Instruction& instruction, const MemoryOperand* operands, Cycle now,
                                           Issuer by, SmCounters& counters) {
  const OpClass op = instruction.op;
  switch (memory_operands(op)) {
    case 0: {  // a shuffle, or a special register
      const Stages stages = pass_shared(now, 1, 0, by);
      return {stages.start,
              stages.last - pipeline_cycles_ + (op == OpClass::special ? special_latency_ : shuffle_latency_)};
    }
    case 1: {
      const Issue issue{instruction, access_of(op, 0), operands[0], now, by, counters};
      return is_shared(issue.access) ? issue_shared(issue) : issue_lines(issue);
    }
    case 2:
      return issue_copy(instruction, operands, now, by, counters);
    default:
      return issue_generic(instruction, operands, now, by, counters);
  }
}

// The parts of a generic access follow one another; those on no lane cost nothing beside others.
LoadStoreUnit::Timing LoadStoreUnit::issue_generic(const Instruction& instruction, const MemoryOperand* operands,
                                                   Cycle now, Issuer by, SmCounters& counters) {
  const OpClass op = instruction.op;
  Timing all{};
  if (on_no_lane(op, operands)) return issue_nothing({instruction, access_of(op, 0), operands[0], now, by, counters});
  for (int i = 0; i < memory_operands(op); ++i) {
    const AccessKind access = access_of(op, i);
    if (operands[i].pattern == 0 && access != AccessKind::shared_atomic) continue;
    const Timing part = issue_access({instruction, access, operands[i], now, by, counters});
    const Cycle slower = is_lines(access) ? 0 : generic_cycles_;
    all.dequeued = std::max(all.dequeued, part.dequeued);
    all.complete = std::max(all.complete, part.complete + slower);
    all.pending += part.pending;
    all.store_pending += part.store_pending;
    all.left = std::max(all.left, part.left);
  }
  count_shared_request(instruction, operands, counters);
  return all;
}

// Narrow lanes in global and in local memory share a request: each counter has the sectors of both.
void LoadStoreUnit::count_shared_request(const Instruction& instruction, const MemoryOperand* operands,
                                         SmCounters& counters) const {
  if (instruction.detail != 1 || operands[0].pattern == 0 || operands[2].pattern == 0) return;
  const AccessKind global = access_of(instruction.op, 0), local = access_of(instruction.op, 2);
  if (is_atomic(global)) return;
  counters.of(global).sectors += static_cast<std::uint64_t>(costs_.footprint(operands[2]).sectors);
  counters.of(local).sectors += static_cast<std::uint64_t>(costs_.footprint(operands[0]).sectors);
}

LoadStoreUnit::Timing LoadStoreUnit::issue_access(const Issue& issue) {
  return is_shared(issue.access) ? issue_shared(issue) : issue_lines(issue);
}

// Every lane predicated off: no request, but the instruction takes its turn at the data stage.
LoadStoreUnit::Timing LoadStoreUnit::issue_nothing(const Issue& issue) {
  const bool shared = is_shared(issue.access);
  ++issue.counters.data_wavefronts;
  const Stages stages = shared ? pass_shared(issue.now, 1, data_registers(issue), issue.by)
                               : pass_global(issue.now, !is_local(issue.access), data_registers(issue), 0, 1, issue.by);
  const Cycle latency = shared ? shared_latency_ : l1_latency_;
  return {stages.start, stages.last - pipeline_cycles_ + latency};
}

LoadStoreUnit::Timing LoadStoreUnit::issue_copy(const Instruction& instruction, const MemoryOperand* operands,
                                                Cycle now, Issuer by, SmCounters& counters) {
  const OpClass op = instruction.op;
  // A copy through L1 takes one pass to look at what it reads.
  const int passes = instruction.cached == 0 ? 0 : 1 + copy_passes_.of(operands[0], operands[1], costs_);
  const Issue load{instruction, access_of(op, 0), operands[0], now, by, counters, passes};
  const std::optional<Footprint> shifted = costs_.shifted(instruction, operands);
  const Timing timing =
      shifted ? issue_lines_at(load, *shifted, LineAddress::of(operands[0].base)) : issue_access(load);
  store_copied({instruction, access_of(op, 1), operands[1], timing.dequeued, by, counters});
  copies_[by.warp].add(timing.complete, timing.pending);
  return timing;
}

// The group of an asynchronous copy.
AsyncCopies::Group LoadStoreUnit::group_of(const Issue& issue) const {
  return issue.instruction.op == OpClass::async_copy ? copies_[issue.by.warp].open() : AsyncCopies::kNone;
}

// What an asynchronous copy past L1 writes into shared memory takes its turn at the data stage; one through L1 has
// written when it has read.
void LoadStoreUnit::store_copied(const Issue& issue) {
  const BankCost cost = costs_.shared(issue.operand, SharedOp::store);
  AccessCounters& counters = issue.counters.of(issue.access);
  if (cost.wavefronts != 0) ++counters.requests;
  counters.wavefronts += static_cast<std::uint64_t>(cost.wavefronts);
  counters.ideal += static_cast<std::uint64_t>(cost.ideal);
  if (issue.instruction.cached == 0) data_.take(DataStage::shared, issue.now, cost.wavefronts);
}

Cycle LoadStoreUnit::pass_answer(Cycle ready, std::int64_t passes, std::uint16_t warp) {
  Cycle turn = 0;
  if (data_.free(DataStage::shared) > ready)
    turn = answer_turn_.next();
  else if (data_.free(DataStage::hits) > ready)
    turn = answer_hit_turn_.next();
  const Cycle by_stage = data_.take(DataStage::answers, ready, passes + turn);
  const Cycle by_way = ways_[warp].take(ready, passes * wavefront_cycles_);
  return std::max(by_stage, by_way) + passes - 1;
}

void LoadStoreUnit::pass_barrier(Cycle now, SmCounters& counters) {
  counters.data_wavefronts += static_cast<std::uint64_t>(barrier_wavefronts_);
  data_.take(DataStage::shared, now, barrier_wavefronts_ + barrier_turn_.next());
}

void LoadStoreUnit::send_bulk(MemoryRequest request) {
  const bool asks = request.kind == RequestKind::bulk_read || request.kind == RequestKind::bulk_prefetch;
  const bool partial = request.kind == RequestKind::bulk_partial_write;
  request.time = egress_.take_beside(
      request.time, asks ? crossbar_.read_request_cycles : crossbar_.store_cycles(request.sectors.count(), partial));
  misses_.outbox().push_back(request);
}

OutstandingMisses::Waiting LoadStoreUnit::waits_for_stores(std::uint16_t warp) {
  return tracks_stores_ ? misses_.begin(warp, kStoreBoard) : OutstandingMisses::kNone;
}

void LoadStoreUnit::deliver(const MemoryReply& reply, std::vector<OutstandingMisses::Arrival>& arrivals) {
  const OutstandingMisses::Delivered delivered = misses_.deliver(reply, arrivals);
  if (delivered.is_read) l1_.filled(delivered.line, reply.fill, reply.ready);
}

}  // namespace tilescope
