// Accesses to global and local memory: tag stage, L1, what misses and what is stored.
#include <algorithm>

#include "models/split_passes.h"
#include "sim/engine/timing/load_store_unit.h"

namespace tilescope {

LoadStoreUnit::Timing LoadStoreUnit::issue_lines(const Issue& issue) {
  const Footprint& footprint = costs_.footprint(issue.operand);
  if (footprint.lines.empty()) return issue_nothing(issue);
  if (is_atomic(issue.access)) return issue_atomic(issue);
  if (!is_local(issue.access)) return issue_lines_at(issue, footprint, LineAddress::of(issue.operand.base));
  // Each word of a local access is a line, and a request, of its own.
  Timing all{};
  for (int word = 0; word < issue.instruction.detail; ++word) {
    const Timing one = issue_lines_at(issue, footprint, LineAddress::of(issue.operand.base) + word);
    all.dequeued = one.dequeued;
    all.complete = std::max(all.complete, one.complete);
    all.pending += one.pending;
    all.store_pending += one.store_pending;
    all.left = std::max(all.left, one.left);
  }
  return all;
}

LoadStoreUnit::Timing LoadStoreUnit::issue_lines_at(const Issue& issue, const Footprint& footprint, LineAddress line) {
  const std::int64_t tag = costs_.tag_cycles(footprint, line);
  AccessCounters& counters = issue.counters.of(issue.access);
  ++counters.requests;
  counters.sectors += static_cast<std::uint64_t>(footprint.sectors);
  issue.counters.tag_cycles += static_cast<std::uint64_t>(tag);
  issue.counters.data_wavefronts += static_cast<std::uint64_t>(footprint.data_wavefronts);
  if (is_load(issue.access)) return load_lines(issue, footprint, line, tag);
  // A store passes the data stage when all but the last of the data before it has left; loads that hit do not wait.
  data_.hold(DataStage::hits, egress_.next_free() - store_buffer_cycles_);
  const Stages stages =
      pass_global(issue.now, !is_local(issue.access), data_registers(issue), tag, footprint.data_wavefronts, issue.by);
  return store_lines(issue, footprint, line, stages);
}

LoadStoreUnit::Timing LoadStoreUnit::issue_atomic(const Issue& issue) {
  const AtomicFootprint packets = costs_.atomic(issue.instruction, issue.operand);
  const AccessCost cost = costs_.of_atomic(issue.instruction, issue.access, issue.operand, packets);
  AccessCounters& counters = issue.counters.of(issue.access);
  ++counters.requests;
  counters.sectors += static_cast<std::uint64_t>(cost.sectors);
  issue.counters.tag_cycles += static_cast<std::uint64_t>(cost.tag_cycles);
  issue.counters.data_wavefronts += static_cast<std::uint64_t>(cost.wavefronts);
  const bool returns = issue.access == AccessKind::global_atomic;
  const Stages stages = pass_global(issue.now, true, data_registers(issue), cost.tag_cycles, cost.wavefronts, issue.by);
  Timing timing{stages.start, stages.start, returns ? 1 : 0};
  const LineAddress base_line = LineAddress::of(issue.operand.base);
  const OutstandingMisses::Waiting waiting =
      returns ? misses_.begin(issue.by.warp, issue.instruction.write_scoreboard) : waits_for_stores(issue.by.warp);
  for (const AtomicPacket& packet : packets) {
    // Its last sector has left when the way out is free again.
    const Cycle cycles = packet_cycles(packet, issue.instruction.atomic(), returns);
    const Cycle sent = egress_.take(stages.start, cycles) + cycles - 1;
    if (returns) issue.counters.fill_sectors += packet.sectors.count();
    misses_.send({.line = base_line + packet.line,
                  .sectors = packet.sectors,
                  .kind = returns ? RequestKind::atomic : RequestKind::reduction,
                  .atomic = issue.instruction.atomic(),
                  .word = packet.one_word ? packet.place : kManyWords,
                  .whole = packet.whole()},
                 sent, waiting);
  }
  data_.hold(DataStage::hits, egress_.next_free());
  timing.store_pending = !returns && waiting != OutstandingMisses::kNone ? 1 : 0;
  timing.left = returns ? 0 : egress_.next_free();
  return timing;
}

// The lines of a load one after the other, from `tagged` on. Each cycle of the tag stage waits until there is room for
// all that it may find missing.
LoadStoreUnit::Found LoadStoreUnit::look_up_lines(const Issue& issue, const Footprint& footprint, LineAddress base_line,
                                                  std::int64_t tag, Cycle tagged) {
  const bool cached = issue.instruction.cached != 0;
  AccessCounters& counters = issue.counters.of(issue.access);
  const std::size_t lines = footprint.lines.size();
  const std::size_t at_once = (lines + static_cast<std::size_t>(tag) - 1) / static_cast<std::size_t>(tag);
  Found all{.when = tagged - 1};
  std::uint32_t this_line = 1;
  for (std::size_t i = 0; i < lines; ++i, this_line <<= 1U) {
    if (i % at_once == 0) all.when = std::max(all.when + 1, miss_queue_.room_at(std::min(at_once, lines - i)));
    const LineSectors& touched = footprint.lines[i];
    const LineAddress line = base_line + touched.line;
    L1Cache::Lookup found{};
    if (cached)
      found = l1_.load(line, touched.sectors);
    else
      found.missing = touched.sectors;
    counters.hit_sectors += (found.present | found.pending).count();
    if (found.present.any()) all.ready = std::max(all.ready, found.ready);
    if ((found.pending | found.missing).none()) continue;
    all.waiting_lines |= this_line;
    if (all.waiting == OutstandingMisses::kNone)
      all.waiting = misses_.begin(issue.by.warp, issue.instruction.write_scoreboard, group_of(issue));
    std::uint32_t last = OutstandingMisses::kNone;
    for (const std::size_t s : found.pending)
      if (found.waits_for[s] != last) misses_.wait_for(last = found.waits_for[s], all.waiting);
    if (found.missing.none()) continue;
    issue.counters.fill_sectors += found.missing.count();
    const OutstandingMisses::Fill fill = ask_for(issue, line, found, all.when);
    if (cached) l1_.allocate(line, found.missing, fill);
    misses_.wait_for(fill, all.waiting);
  }
  return all;
}

// What a line looked up at `now` misses goes with a request for other sectors of it that has not left, or on its own.
OutstandingMisses::Fill LoadStoreUnit::ask_for(const Issue& issue, LineAddress line, const L1Cache::Lookup& found,
                                               Cycle now) {
  const bool whole_line = issue.instruction.whole_line();
  OutstandingMisses::Fill last = OutstandingMisses::kNone;
  for (const std::size_t s : found.under_way) {
    if (found.waits_for[s] == last) continue;
    last = found.waits_for[s];
    if (misses_.join(last, found.missing, whole_line, now)) return last;
  }
  const Cycle turn = joins_.close(line, egress_.take(now, crossbar_.read_request_cycles));
  const OutstandingMisses::Fill fill =
      misses_.send({.line = line, .sectors = found.missing, .kind = RequestKind::read, .whole_line = whole_line}, turn);
  miss_queue_.add(turn);
  // Other sectors of the line join for some cycles from its look-up, and while it waits for its turn. Source:
  // counted_merges, counted_stays (gpu/microbench). The chip takes it when the SM has come past `turn`; a load that
  // issues later is looked up pipeline_cycles later at least, so that until then whoever finds the line finds its
  // request, wherever a look-ahead window ends.
  if (issue.instruction.cached != 0)
    misses_.leave_open(fill, std::min(std::max(now + miss_join_cycles_, turn), turn + pipeline_cycles_));
  return fill;
}

// Lanes whose lines are in L1 pass the data stage at once, those that wait for L2 when all of the load's data have
// come.
LoadStoreUnit::Timing LoadStoreUnit::load_lines(const Issue& issue, const Footprint& footprint, LineAddress base_line,
                                                std::int64_t tag) {
  Stages stages = look_up(issue.now, !is_local(issue.access), 0, tag, issue.by);
  const Found found = look_up_lines(issue, footprint, base_line, tag, stages.tagged);
  // Further cycles of the tag stage come behind the last one that found room.
  tag_stage_.next_free = std::max(tag_stage_.next_free, found.when + 1);
  const Cycle looked_up = std::max(found.when, stages.start);
  stages.start = stages.turn = stages.last = looked_up;
  // A copy past L1 goes from L2 into shared memory: nothing of it is read here. One through L1 looks at what it reads.
  const bool copies = issue.instruction.op == OpClass::async_copy;
  bool passes_now = issue.passes != 0;
  if (passes_now) pass_data(DataStage::hits, stages, issue.passes, issue.by);
  const bool waits = found.waiting != OutstandingMisses::kNone;
  if (!waits && !copies) {
    pass_data(DataStage::hits, stages, footprint.data_wavefronts, issue.by);
    passes_now = true;
  }
  std::int64_t passes_later = footprint.data_wavefronts;
  if (waits && !copies && !footprint.banks.empty()) {
    const SplitPasses split = split_passes(footprint.banks, found.waiting_lines, lines_together_);
    issue.counters.data_wavefronts += static_cast<std::uint64_t>(split.there + split.later - footprint.data_wavefronts);
    passes_later = split.later;
    if (split.there != 0) {
      pass_data(DataStage::hits, stages, split.there, issue.by);
      passes_now = true;
    }
  }
  if (passes_now)
    queues_.leave_global(looked_up - pipeline_cycles_, stages.start - pipeline_cycles_);
  else
    queues_.leave_global(looked_up - pipeline_cycles_);
  Timing timing{stages.start, std::max(found.ready, stages.last - pipeline_cycles_ + l1_latency_)};
  if (!waits) return timing;
  timing.pending = 1;
  misses_.not_before(found.waiting, timing.complete);
  if (!copies)
    misses_.passes_later(found.waiting, passes_later);
  else if (issue.passes != 0)
    data_.take(DataStage::hits, stages.start, 1);  // to write what comes from L2
  return timing;
}

LoadStoreUnit::Timing LoadStoreUnit::store_lines(const Issue& issue, const Footprint& footprint, LineAddress base_line,
                                                 const Stages& stages) {
  OutstandingMisses::Waiting waiting = OutstandingMisses::kNone;
  joins_.begin(stages.tagged, footprint.sectors);
  for (std::size_t i = 0; i < footprint.lines.size(); ++i) {
    const LineSectors& touched = footprint.lines[i];
    const LineAddress line = base_line + touched.line;
    if (is_local(issue.access))
      issue.counters.of(issue.access).hit_sectors += l1_.keep(line, touched.sectors, stages.last).count();
    const Cycle leaves = joins_.leaves(i);
    if (joins_.finds(line, i)) {
      // Whoever waits for this store waits for the earlier one, as it comes from the same warp nearly always.
      const OutstandingMisses::Joined joined = misses_.join_store(line, touched.sectors, touched.words, leaves);
      if (joined.done) {
        issue.counters.joined_sectors += (touched.sectors & joined.before).count();
        const SectorMask more = touched.sectors - joined.before;
        egress_.take(stages.start, StoreJoins::kJoinCycles + crossbar_.store_cycles(more.count(), false));
        joins_.waits(line, leaves);
        continue;
      }
    }
    const bool partial = touched.whole != touched.sectors;
    const Cycle sent =
        std::max(egress_.take(stages.start, crossbar_.store_cycles(touched.sectors.count(), partial)), leaves);
    if (waiting == OutstandingMisses::kNone) waiting = waits_for_stores(issue.by.warp);
    misses_.send({.line = line,
                  .sectors = touched.sectors,
                  .kind = partial ? RequestKind::partial_write : RequestKind::write,
                  .words = touched.words},
                 sent, waiting);
    joins_.waits(line, sent);
  }
  Timing timing{stages.start, stages.start};
  timing.store_pending = waiting != OutstandingMisses::kNone ? 1 : 0;
  timing.left = egress_.next_free();
  return timing;
}

}  // namespace tilescope
