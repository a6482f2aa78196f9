// The load/store pipeline that the four sub-partitions of an SM share: queue, tag stage, data stage and L1.
//
// It is in order, but for loads that wait for L2: they pass the data stage when their data have come (pass_answer). Any
// other instruction is handled once, when it issues: the stages know when they are next free, so its start, and the
// arrival of everything that is near (shared memory, L1 hits), follow at once. What misses leaves by
// models/outstanding_misses.h; its arrival is learnt later from the chip.
//
// An instruction makes the accesses that models/isa/operation.h lists for its class, each on its lanes: those of a
// generic one may lie in several spaces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/access_cost.h"
#include "models/async_copies.h"
#include "models/copy_passes.h"
#include "models/data_stage.h"
#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/l1_cache.h"
#include "models/memory_queues.h"
#include "models/miss_queue.h"
#include "models/outstanding_misses.h"
#include "models/part_cycles.h"
#include "models/resource.h"
#include "models/scoreboards.h"
#include "models/store_joins.h"
#include "models/way_out.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

class LoadStoreUnit {
 public:
  // REQUIRES: `costs` outlives this. `warps`: places of the SM.
  LoadStoreUnit(const GpuSpec& gpu, const AccessCosts& costs, std::int64_t l1_kib, int sm, std::size_t warps);

  struct Timing {
    Cycle dequeued = 0;  // leaves the queues
    Cycle complete = 0;  // result usable, as far as nothing is pending
    int pending = 0;     // how often OutstandingMisses will report (warp, scoreboard, group): accesses with lines out
    int store_pending = 0;  // ... and (warp, kStoreBoard), when stores are tracked
    int write_back = 0;     // passes of its result that fill two registers: models/register_writes.h
    bool near = false;      // it comes from shared memory
    Cycle left = 0;         // what it stores or adds has left the SM; 0: nothing
  };
  struct Issuer {  // who issues
    std::uint16_t warp = 0;
    std::uint8_t sub = 0;  // sub-partition
  };
  // Issues one instruction at `now`. REQUIRES: `now` does not decrease; its queue has room, and for global memory
  // global_room(now) is not later.
  Timing issue(const Instruction& instruction, const MemoryOperand* operands, Cycle now, Issuer by,
               SmCounters& counters);

  struct Operands {
    int registers = 0;
    Cycle each = 0;   // cycles for each: they are read one by one, as they go to the SM's queue ...
    Cycle from = 0;   // ... from here on
    Cycle until = 0;  // ... and may be overwritten
  };
  // Of the instruction issued last.
  Operands operands_of(const Instruction& instruction, const MemoryOperand* operands) const;

  // An instruction that takes the same way out of its sub-partition but no part of this unit: S2R, LDC. `cycles`: for
  // how long it takes it, if longer than others.
  void issue_beside(Cycle now, std::uint8_t sub, Cycle cycles = 0) {
    entry_[sub] = now + std::max(issue_cycles_, cycles);
  }

  // When a sub-partition can next issue to shared and to global memory, as far as their queues are concerned.
  Cycle shared_room_at(std::uint8_t sub) const { return room_at(MemoryQueues::shared, sub); }
  Cycle global_room_at(std::uint8_t sub) const { return room_at(MemoryQueues::global, sub); }
  // ... and to global memory as far as misses in flight are concerned: OutstandingMisses::room.
  Cycle global_room(Cycle now) { return misses_.room(now); }

  // An instruction of another unit that stands in the queue of shared memory and takes a turn at the data stage;
  // returns for how long it waits there.
  Cycle queue(Cycle now, Issuer by) {
    const Stages stages = pass_shared(now, 1, 0, by);
    return stages.start - pipeline_cycles_ - now;
  }

  // From the queues to the stages.
  Cycle pipeline_cycles() const { return pipeline_cycles_; }

  // From now on a store is reported when it has been answered, too: memory barriers wait for it.
  void track_stores() { tracks_stores_ = true; }
  // From now on the asynchronous copies of each warp are grouped. REQUIRES: called before the first such copy.
  void track_copies() { copies_.resize(ways_.size()); }
  AsyncCopies& copies(std::uint16_t warp) { return copies_[warp]; }
  // For the next warp in this place.
  void forget_copies(std::uint16_t warp) {
    if (!copies_.empty()) copies_[warp].clear();
  }
  // Drops all but local memory from L1; false when there was nothing to drop.
  bool invalidate_l1() { return l1_.invalidate(); }

  // Takes the chip's answers. Appends instructions that are now complete.
  void deliver(const MemoryReply& reply, std::vector<OutstandingMisses::Arrival>& arrivals);

  // A load of `warp` whose data have come passes the data stage; returns when it has.
  Cycle pass_answer(Cycle ready, std::int64_t passes, std::uint16_t warp);
  // A barrier of a CTA that completes at `now` passes through the data stage too.
  void pass_barrier(Cycle now, SmCounters& counters);
  // Tensor cores read their operands through the data stage; returns when the last wavefront has passed.
  Cycle read_operands(Cycle now, Cycle wavefronts) {
    return wavefronts == 0 ? now : data_.take(DataStage::operands, now, wavefronts, 1) + wavefronts;
  }

  // Stores that no slice of L2 takes up keep the way out of the SM until then.
  void hold_back(Cycle until) { egress_.hold(until); }

  // A request of a bulk copy, which leaves beside those of loads and stores.
  void send_bulk(MemoryRequest request);
  OutstandingMisses::Outbox& outbox() { return misses_.outbox(); }
  // The way to the other SMs of the cluster: when `bytes` that are ready at `now` have left.
  Cycle send_to_cluster(Cycle now, double bytes) {
    const auto cycles = static_cast<Cycle>(bytes / cluster_bytes_ + 0.5);
    return cluster_port_.take(now, cycles) + cycles;
  }

 private:
  struct Stages {  // when an instruction passes the shared pipeline
    Cycle tagged = 0;
    Cycle turn = 0;   // at the data stage
    Cycle start = 0;  // of its first data wavefront, which may wait for the warp's last access
    Cycle last = 0;   // of its last
  };
  struct Issue {  // of one access
    const Instruction& instruction;
    AccessKind access;
    const MemoryOperand& operand;
    Cycle now;
    Issuer by;
    SmCounters& counters;
    std::int64_t passes = 0;  // of the data stage, by a copy through L1
  };

  // `data`: registers that it brings.
  Stages pass_shared(Cycle now, std::int64_t wavefronts, std::int64_t data, Issuer by);
  // `wide`: by addresses of 64 bits.
  Stages pass_global(Cycle now, bool wide, std::int64_t data, std::int64_t tag, std::int64_t wavefronts, Issuer by);
  Stages look_up(Cycle now, bool wide, std::int64_t data, std::int64_t tag, Issuer by);
  void pass_data(DataStage::Lane lane, Stages& stages, std::int64_t wavefronts, Issuer by);
  Timing issue_generic(const Instruction& instruction, const MemoryOperand* operands, Cycle now, Issuer by,
                       SmCounters& counters);
  void count_shared_request(const Instruction& instruction, const MemoryOperand* operands, SmCounters& counters) const;
  Timing issue_access(const Issue& issue);
  Timing issue_shared(const Issue& issue);
  Timing issue_lines(const Issue& issue);
  Timing issue_lines_at(const Issue& issue, const Footprint& footprint, LineAddress line);
  Timing issue_atomic(const Issue& issue);
  Timing load_lines(const Issue& issue, const Footprint& footprint, LineAddress base_line, std::int64_t tag);
  struct Found {                                                    // by a load
    Cycle when = 0;                                                 // its last line was looked up
    Cycle ready = 0;                                                // what is in L1 can be read
    OutstandingMisses::Waiting waiting = OutstandingMisses::kNone;  // it waits for lines ...
    std::uint32_t waiting_lines = 0;                                // ... these, by bits
  };
  Found look_up_lines(const Issue& issue, const Footprint& footprint, LineAddress base_line, std::int64_t tag,
                      Cycle tagged);
  OutstandingMisses::Fill ask_for(const Issue& issue, LineAddress line, const L1Cache::Lookup& found, Cycle now);
  Timing store_lines(const Issue& issue, const Footprint& footprint, LineAddress base_line, const Stages& stages);
  OutstandingMisses::Waiting waits_for_stores(std::uint16_t warp);
  Timing issue_nothing(const Issue& issue);
  Timing issue_copy(const Instruction& instruction, const MemoryOperand* operands, Cycle now, Issuer by,
                    SmCounters& counters);
  AsyncCopies::Group group_of(const Issue& issue) const;
  void store_copied(const Issue& issue);
  std::int64_t registers_of(const MemoryOperand& operand) const;
  std::int64_t data_registers(const Issue& issue) const;
  Cycle assembly_cycles(const Issue& issue, const BankCost& cost) const;
  Cycle room_at(MemoryQueues::Kind kind, std::uint8_t sub) const;

  const AccessCosts& costs_;
  CopyPasses copy_passes_;
  L1Cache l1_;
  OutstandingMisses misses_;
  MissQueue miss_queue_;
  Cycle miss_join_cycles_;
  std::vector<AsyncCopies> copies_;  // of each warp, when they are tracked
  Cycle pipeline_cycles_;
  Cycle shared_latency_;
  Cycle shuffle_latency_, special_latency_;
  Cycle l1_latency_;
  Cycle issue_cycles_;
  // From reading a register until it may be overwritten: an LDG reads three and five cycles after its issue, and its
  // registers are free after eight and ten (held_rows.csv, read_release).
  static constexpr Cycle kReadToFree = 5;
  Cycle operand_cycles_, operand_register_cycles_, operand_store_cycles_;
  Cycle store_buffer_cycles_;
  Cycle wavefront_cycles_;
  std::int64_t lines_together_;
  Cycle barrier_wavefronts_;
  PartCycles barrier_turn_, answer_turn_, answer_hit_turn_;
  CrossbarSpec crossbar_;
  Cycle generic_cycles_;
  Cycle compare_cycles_;
  bool tracks_stores_ = false;
  double cluster_bytes_;
  Cycle cluster_cycles_;
  Resource cluster_port_;

  std::vector<Resource> ways_;  // of each warp into the data stage
  MemoryQueues queues_;
  DataStage data_;
  std::vector<Cycle> entry_;  // when the next instruction of each sub-partition can enter its queue
  Resource tag_stage_;
  StoreJoins joins_;
  WayOut egress_;
};

}  // namespace tilescope
