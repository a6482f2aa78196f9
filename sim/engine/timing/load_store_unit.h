// The load/store pipeline that the four sub-partitions of an SM share: queue, tag stage, data stage, L1, and the misses
// in flight.
//
// It is in order. An instruction is handled once, when it issues: the stages know when they are next free, so its
// start, and the arrival of everything that is near (shared memory, L1 hits), follow at once. What misses goes to the
// outbox; its arrival is learnt later from the chip, never earlier than one look-ahead window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/instruction.h"
#include "models/isa/pattern_table.h"
#include "models/l1_cache.h"
#include "models/memory_request.h"
#include "models/resource.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

class LoadStoreUnit {
 public:
  LoadStoreUnit(const GpuSpec& gpu, const PatternTable& patterns, std::int64_t l1_kib, int sm);

  struct Timing {
    Cycle dequeued = 0;    // leaves the queue; the operands have been read
    Cycle complete = 0;    // result usable; meaningful when !pending
    Cycle dispatch = 1;    // keeps the dispatch port of its sub-partition
    bool pending = false;  // some sectors are still out: `arrivals` will report (warp, scoreboard)
  };
  // Issues one instruction of sub-partition `sub` at `now`. REQUIRES: `now` does not decrease; its queue has room, and
  // for global memory global_room(now) is not later.
  Timing issue(const Instruction& instruction, const MemoryOperand* operands, Cycle now, std::uint16_t warp,
               std::uint8_t sub, SmCounters& counters);

  // An instruction that takes the same way out of its sub-partition but no part of this unit: S2R, LDC.
  void issue_beside(Cycle now, std::uint8_t sub) { ports_[sub].issued = now; }

  // When a sub-partition can next issue to shared and to global memory, as far as their queues are concerned.
  Cycle shared_room_at(std::uint8_t sub) const { return room_at(shared_lane_, sub); }
  Cycle global_room_at(std::uint8_t sub) const { return room_at(global_lane_, sub); }

  // When a global instruction may next issue as far as misses in flight are concerned: `now` or earlier when there is
  // room, the arrival that makes room when it is known, kNever when it is not known yet.
  Cycle global_room(Cycle now);

  // A load whose last sector has an arrival time.
  struct Arrival {
    std::uint16_t warp;
    std::uint8_t scoreboard;
    Cycle ready;
  };
  // Takes the chip's answers. Appends loads that are now complete.
  void deliver(const MemoryReply& reply, std::vector<Arrival>& arrivals);

  // A barrier of a CTA that completes at `now` passes through the data stage too.
  void pass_barrier(Cycle now, SmCounters& counters);

  std::vector<MemoryRequest>& outbox() { return outbox_; }
  bool drained() const { return in_flight_ == 0; }

 private:
  struct Load {  // a load instruction with sectors out
    Cycle latest = 0;
    std::uint32_t sectors_out = 0;  // fills it waits for
    std::uint32_t next_free = 0;
    std::uint16_t warp = 0;
    std::uint8_t scoreboard = kNoScoreboard;
  };
  struct Fill {  // a line request in flight
    LineAddress line;
    std::uint32_t first_waiter = 0;
    std::uint32_t next_free = 0;
    bool is_write = false;
  };
  struct Waiter {
    std::uint32_t load = 0;
    std::uint32_t next = 0;
  };
  static constexpr std::uint32_t kNone = ~0U;

  struct Stages {  // when an instruction passes the shared pipeline
    Cycle tagged = 0;
    Cycle start = 0;  // of its first data wavefront
    Cycle last = 0;   // of its last
  };
  struct Lane;
  Stages pass(Lane& own, Lane& other, Cycle now, std::int64_t tag, std::int64_t wavefronts, std::uint8_t sub);
  Timing issue_nothing(Lane& own, Lane& other, Cycle now, std::uint8_t sub, Cycle latency, SmCounters& counters);
  Timing issue_shared(const Instruction& instruction, const MemoryOperand& operand, Cycle now, std::uint8_t sub,
                      SmCounters& counters);
  Timing issue_global_load(const Instruction& instruction, const MemoryOperand& operand, Cycle now, std::uint16_t warp,
                           std::uint8_t sub, SmCounters& counters);
  Timing issue_global_store(const MemoryOperand& operand, Cycle now, std::uint8_t sub, SmCounters& counters);
  std::uint32_t send(LineAddress line, SectorMask sectors, RequestKind kind, Cycle when);
  Cycle store_dispatch(const MemoryOperand& operand) const;
  Cycle room_at(const Lane& lane, std::uint8_t sub) const;
  void wait_for(std::uint32_t fill, std::uint32_t load);
  void retire(Cycle now);

  template <class Node>
  static std::uint32_t take(std::vector<Node>& pool, std::uint32_t& free_list);

  const PatternTable& patterns_;
  L1Cache l1_;
  Cycle pipeline_cycles_;
  Cycle shared_latency_;
  Cycle shuffle_latency_;
  Cycle l1_latency_;
  Cycle issue_cycles_;
  std::int64_t store_registers_per_cycle_;
  Cycle wavefront_cycles_;
  Cycle barrier_wavefronts_;
  Cycle write_sector_cycles_;
  Cycle write_partial_cycles_;
  std::int64_t max_in_flight_;
  std::uint16_t sm_;

  struct Ring {  // when the last few instructions left a queue
    std::vector<Cycle> left;
    std::size_t next = 0;
    Cycle oldest() const { return left[next]; }
    void push(Cycle when) {
      left[next] = when;
      next = next + 1 == left.size() ? 0 : next + 1;
    }
  };
  // Shared-memory and global-memory instructions queue apart and take turns at the data stage. Each lane knows when
  // what it has accepted will be through; work that one accepts delays the backlog of the other.
  struct Lane {
    std::vector<Ring> waiting;  // in each sub-partition
    Ring queue;                 // of the SM
    Cycle data_free = 0;
    Cycle take(Lane& other, Cycle when, Cycle duration) {
      const Cycle start = std::max(when, data_free);
      data_free = start + duration;
      if (other.data_free > start) other.data_free += duration;
      return start;
    }
  };
  struct SubPort {
    Cycle issued = -1000;  // the last instruction
    Resource data;         // the sub-partition's way into the data stage
  };
  Lane shared_lane_;
  Lane global_lane_;
  std::vector<SubPort> ports_;
  Resource tag_stage_;
  Resource egress_;
  std::int64_t in_flight_ = 0;  // lines
  std::vector<Cycle> known_;    // min-heap: arrivals that will free a place
  std::vector<MemoryRequest> outbox_;
  std::vector<Load> loads_;
  std::vector<Fill> fills_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_load_ = kNone, free_fill_ = kNone, free_waiter_ = kNone;
};

}  // namespace tilescope
