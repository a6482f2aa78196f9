// What an SM does with mbarriers, bulk copies and the messages of its cluster.
#include <algorithm>
#include <bit>

#include "sim/engine/timing/sm.h"

namespace tilescope {

// In its own time; the rest is the unit's.
[[gnu::noinline]] Cycle Sm::issue_asynchronous(Warp& warp, std::uint16_t index, Cycle now) {
  const Instruction& instruction = *warp.pc;
  const AsyncOperand* operands = warp.asynchronous;
  const int count = operands != nullptr ? 1 + operands->more : 0;  // none: a stream that does not know them
  warp.asynchronous += count;
  const bool bulk = instruction.op >= OpClass::bulk_load && instruction.op <= OpClass::bulk_prefetch;
  Cycle queues = 0;
  if (bulk)
    lsu_.issue_beside(now, warp.sub);
  else
    queues = lsu_.queue(now, {index, warp.sub});
  now += queues;
  const Cycle done = now + asynchronous_.mbarrier_wait_cycles;
  warp.scoreboards.set(instruction.read_scoreboard,
                       now + (bulk ? asynchronous_.operand_cycles : lsu_.pipeline_cycles()), false);
  warp.scoreboards.set(instruction.write_scoreboard, done, instruction.op == OpClass::mbarrier_wait);
  for (int i = 0; i < count; ++i) {
    if (bulk)
      issue_bulk(warp, index, operands[i], now);
    else
      issue_mbarrier(warp, index, operands[i], now);
  }
  return queues;
}

void Sm::issue_mbarrier(Warp& warp, std::uint16_t index, const AsyncOperand& operand, Cycle now) {
  const Instruction& instruction = *warp.pc;
  CtaSlot& slot = slots_[warp.slot];
  const std::uint32_t offset = offset_of(operand.barrier);
  const Cycle counted = now + asynchronous_.mbarrier_arrival_cycles;
  switch (instruction.op) {
    case OpClass::mbarrier_init:
      if (operand.arrivals != 0) slot.mbarriers.set(offset, operand.arrivals, operand.parity != 0);
      return;
    case OpClass::mbarrier_arrival:
      count_at_mbarrier(slot, operand, counted);
      return;
    case OpClass::copy_arrival: {
      if (operand.arrivals == 0 && operand.transactions == 0) return;
      AsyncCopies& copies = lsu_.copies(index);
      const AsyncCopies::Group group = copies.open();
      copies.close(kNoScoreboard, now, warp.scoreboards);
      copy_arrivals_.push_back({index, group, operand});
      settle_copy_arrivals(index);
      return;
    }
    case OpClass::cluster_store: {
      if (operand.arrivals == 0) return;
      AsyncOperand bytes = operand;
      bytes.arrivals = 0;
      count_at_mbarrier(slot, bytes, lsu_.send_to_cluster(counted, -static_cast<double>(operand.transactions)));
      return;
    }
    case OpClass::mbarrier_wait:
      break;
    default:
      return;
  }
  if (operand.arrivals == 0) return;
  if (!operand.complete) {
    // A try_wait that others did not end; a test that is answered at once.
    if (instruction.detail != 0)
      warp.scoreboards.set(instruction.write_scoreboard, now + asynchronous_.mbarrier_limit_cycles, true);
    return;
  }
  const Cycle ended = slot.mbarriers.ended(offset, operand.parity != 0);
  if (ended == kNever) {
    warp.scoreboards.promise(instruction.write_scoreboard);
    slot.mbarriers.wait({offset, index, instruction.write_scoreboard, operand.parity != 0});
  } else {
    warp.scoreboards.set(instruction.write_scoreboard, std::max(now, ended) + asynchronous_.mbarrier_wait_cycles, true);
  }
}

// At the mbarrier of the CTA that it names, here or elsewhere in the cluster.
void Sm::count_at_mbarrier(CtaSlot& slot, const AsyncOperand& operand, Cycle when) {
  if (operand.arrivals == 0 && operand.transactions == 0) return;
  const std::uint32_t offset = offset_of(operand.barrier);
  if (rank_of(operand.barrier) == slot.rank) {
    tell_mbarrier(slot, offset, operand.arrivals, operand.transactions, operand.drops != 0, when);
    return;
  }
  const std::int64_t cta = kernel_.launch().cta_at(slot.cluster, rank_of(operand.barrier));
  messages_.push_back(
      {cta, when + asynchronous_.cluster_cycles, operand.transactions, offset, operand.arrivals, operand.drops != 0});
}

void Sm::tell_mbarrier(CtaSlot& slot, std::uint32_t offset, std::uint32_t arrivals, std::int64_t bytes, bool drops,
                       Cycle when) {
  if (!slot.mbarriers.add(offset, arrivals, bytes, drops, when)) return;
  slot.mbarriers.release(offset, [&](const Mbarriers::Waiter& waiter, Cycle ended) {
    Warp& warp = warps_[waiter.warp];
    warp.scoreboards.arrived(waiter.scoreboard, ended + asynchronous_.mbarrier_wait_cycles);
    if (warp.waits_for_memory && !warp.stands && !warp.at_cluster_barrier) wake(warp);
  });
}

void Sm::settle_copy_arrivals(std::uint16_t index) {
  for (std::size_t i = 0; i < copy_arrivals_.size();) {
    const CopyArrival arrival = copy_arrivals_[i];
    const Cycle landed = arrival.warp == index ? lsu_.copies(index).landing(arrival.group) : kNever;
    if (landed == kNever) {
      ++i;
      continue;
    }
    copy_arrivals_.erase(copy_arrivals_.begin() + static_cast<std::ptrdiff_t>(i));
    count_at_mbarrier(slots_[warps_[index].slot], arrival.operand,
                      std::max(landed, clock_) + asynchronous_.mbarrier_arrival_cycles);
  }
}

void Sm::issue_bulk(Warp& warp, std::uint16_t index, const AsyncOperand& operand, Cycle now) {
  const Instruction& instruction = *warp.pc;
  CtaSlot& slot = slots_[warp.slot];
  if (operand.box == 0) return;
  const BoxPattern& box = kernel_.patterns().boxes.box(operand.box);
  const Cycle begins = now + (box.rows.size() > 1 ? asynchronous_.tensor_cycles : asynchronous_.bulk_cycles);
  std::uint32_t lines = 0;
  std::uint64_t sectors = 0;
  const auto send = [this](const MemoryRequest& request) { lsu_.send_bulk(request); };
  if (instruction.op != OpClass::bulk_load) {
    const RequestKind kind = instruction.op == OpClass::bulk_store       ? RequestKind::bulk_write
                             : instruction.op == OpClass::bulk_reduction ? RequestKind::bulk_reduction
                                                                         : RequestKind::bulk_prefetch;
    const Cycle left = bulk_copies_.walk(box, operand.address, begins, kind, 0, lines, sectors, send);
    if (kind == RequestKind::bulk_prefetch) return;
    lsu_.copies(index).add(left, 0);
    warp.stores_left = std::max(warp.stores_left, left);
    return;
  }
  const std::uint32_t copy = bulk_copies_.begin(
      {.cluster = slot.cluster, .ctas = operand.ctas, .barrier = operand.barrier, .bytes = box.bytes});
  for (std::uint32_t ranks = operand.ctas; ranks != 0; ranks &= ranks - 1) {
    const int rank = std::countr_zero(ranks);
    bulk_copies_[copy].cta[static_cast<std::size_t>(rank)] = kernel_.launch().cta_at(slot.cluster, rank);
  }
  const Cycle left =
      bulk_copies_.walk(box, operand.address, begins, RequestKind::bulk_read, copy, lines, sectors, send);
  const auto targets = static_cast<std::uint64_t>(std::popcount(operand.ctas));
  counters_.fill_sectors += sectors * targets;
  bulk_copies_[copy].lines_out = lines;
  if (listener_ != nullptr) listener_->sets_out(slot.cta, offset_of(operand.barrier), box.bytes, now);
  if (lines != 0) return;
  // Nothing of the box lies inside the tensor.
  for (std::uint32_t ranks = operand.ctas; ranks != 0; ranks &= ranks - 1) {
    const std::uint32_t rank =
        targets > 1 ? static_cast<std::uint32_t>(std::countr_zero(ranks)) : rank_of(operand.barrier);
    AsyncOperand bytes;
    bytes.barrier = place_of(rank, offset_of(operand.barrier));
    bytes.transactions = -static_cast<std::int32_t>(box.bytes);
    count_at_mbarrier(slot, bytes, left);
  }
  bulk_copies_.end(copy);
}

// When what a copy brings is in shared memory: later than it comes where products of warpgroups read there all the
// time. The copy is told of before it comes, so that products lately under way stand for those that will be.
Cycle Sm::written(const BulkArrival& arrival) {
  const Cycle takes = arrival.bytes / asynchronous_.busy_bytes_per_cycle;
  const Cycle begins = std::max(arrival.when - takes, copies_written_);
  constexpr Cycle kLately = 512;
  if (subs_.front().crowded_until + kLately <= begins) return arrival.when;
  copies_written_ = begins + takes;
  return std::max(arrival.when, copies_written_);
}

void Sm::deliver(const std::vector<BulkArrival>& arrivals) {
  for (const BulkArrival& arrival : arrivals) {
    CtaSlot* slot = slots_.find(arrival.cta);
    if (slot == nullptr) continue;
    const Cycle when = written(arrival);
    if (listener_ != nullptr) listener_->brings(arrival.cta, arrival.barrier, arrival.bytes, when);
    tell_mbarrier(*slot, arrival.barrier, 0, -arrival.bytes, false, when);
  }
}

void Sm::deliver(const std::vector<ClusterMessage>& messages) {
  for (const ClusterMessage& message : messages)
    if (CtaSlot* slot = slots_.find(message.cta))
      tell_mbarrier(*slot, message.barrier, message.arrivals, message.bytes, message.drops, message.when);
}

void Sm::release_cluster(std::int64_t cta, Cycle when) {
  CtaSlot* slot = slots_.find(cta);
  if (slot == nullptr) return;
  ++slot->cluster_releases;
  slot->cluster_released = when;
  for (const std::uint16_t w : slot->warps) {
    Warp& warp = warps_[w];
    if (!warp.at_cluster_barrier || warp.exited || warp.cluster_arrivals > slot->cluster_releases) continue;
    warp.at_cluster_barrier = false;
    warp.times.ready = std::max(warp.times.after_stall, when);
    warp.times.reason = Stall::barrier;
    wake(warp);
  }
}

}  // namespace tilescope
