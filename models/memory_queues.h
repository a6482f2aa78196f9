// The queues in which memory instructions wait between their issue and the load/store pipeline of the SM: one of each
// sub-partition, one of the SM, and behind that one more for instructions of global and local memory. All are in order.
// An instruction with addresses of 64 bits takes several places of the SM's queue. Accesses to shared memory and
// shuffles leave that queue when they begin to pass the data stage. Those to global memory leave theirs when they are
// looked up; what of them does not wait for L2 queues once more for the data stage, and few at a time.
//
// The registers of an instruction go to the SM's queue with it, one after the other; those behind its first one take a
// way that the sub-partitions have in common. What stores to shared memory bring stands in a buffer of the SM until
// they pass the data stage. Instructions pass the pipeline in order of issue; sub-partitions have places free, and so
// issue, in turn (models/queue_turns.h). Source: how many accesses of other warps an access waits for
// (gpu/microbench/beside.cu); when rows of loads and stores issue and their registers are free
// (gpu/instructions/rows.py, tests/memory_rows_test.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/part_cycles.h"
#include "models/queue_turns.h"
#include "models/support/units.h"

namespace tilescope {

class MemoryQueues {
 public:
  enum Kind : std::size_t { shared, global };

  MemoryQueues(const LsuSpec& spec, std::size_t sub_partitions)
      : free_(sub_partitions, 0),
        turns_(sub_partitions, spec.queue_entries, spec.global_queue_per_sub),
        sm_(spec.shared_queue_entries),
        data_(spec.data_queue_registers),
        global_(spec.global_queue_entries),
        found_(spec.found_queue_entries),
        wide_places_(std::min(spec.wide_queue_places, spec.shared_queue_entries)),
        register_cycles_(spec.operand_register_cycles),
        common_cycles_(spec.operand_common_cycles),
        narrow_cycles_(spec.issue_cycles),
        pipeline_cycles_(spec.pipeline_cycles),
        wide_cycles_(sub_partitions, PartCycles(spec.wide_issue_cycles)) {}

  // When a sub-partition has room for one more.
  Cycle room_at(Kind kind, std::size_t sub) const {
    return kind == shared ? turns_.room_at(sub) : turns_.global_room_at(sub);
  }

  // Takes an instruction that `sub` issues at `now`; `wide`: with addresses of 64 bits; `data`: registers that it
  // stores. Returns when the pipeline can take it up; leave_...() comes next. REQUIRES: there is room.
  Cycle enter(Kind kind, Cycle now, std::size_t sub, bool wide, std::int64_t data) {
    const std::int64_t places = wide ? wide_places_ : 1;
    Cycle room = sm_.oldest(places);
    waiting_ = kind == shared ? std::min(data, data_.size()) : 0;
    if (waiting_ != 0) room = std::max(room, data_.oldest(waiting_));
    const Cycle queued = std::max({now, free_[sub], room});
    const Cycle address = wide ? wide_cycles_[sub].next() : narrow_cycles_;
    Cycle handed_on = queued + address + data * register_cycles_;
    if (data != 0 && common_cycles_ != 0) {
      Cycle next = queued + narrow_cycles_;
      for (std::int64_t i = wide ? -1 : 0; i < data; ++i) next = common_way(next) + register_cycles_;
      handed_on = std::max(handed_on, next);
    }
    begins_ = queued;
    data_cycles_ = handed_on - (queued + address);
    free_[sub] = handed_on;
    turns_.enter(sub, now, queued, kind == global);
    // Data follow the instruction through the pipeline.
    const Cycle first = std::max({queued, handed_on - pipeline_cycles_, sm_left_});
    if (kind == shared) return first;
    sm_left_ = std::max(first, global_.oldest());
    for (std::int64_t i = 0; i < places; ++i) sm_.push(sm_left_);
    return std::max(sm_left_, global_left_);
  }
  // When the instruction that came last leaves its sub-partition's queue, and the cycles from its address until all it
  // stores is handed on.
  Cycle begins() const { return begins_; }
  Cycle data_cycles() const { return data_cycles_; }
  // `turn`: from when on the pipeline can take up the next one; `left`, not earlier: when its place is free.
  void leave_shared(Cycle turn, Cycle left) {
    sm_left_ = std::max(sm_left_, turn);
    sm_.push(std::max(sm_left_, left));
    for (; waiting_ > 0; --waiting_) data_.push(std::max(sm_left_, left));
  }
  // It waits for L2, or is not there at all.
  void leave_global(Cycle looked_up) {
    global_left_ = std::max(global_left_, looked_up);
    global_.push(global_left_);
  }
  // It begins to pass the data stage at `left`.
  void leave_global(Cycle looked_up, Cycle left) {
    global_left_ = std::max({global_left_, looked_up, found_.oldest()});
    global_.push(global_left_);
    found_.push(std::max(global_left_, left));
  }

 private:
  class Ring {  // when the places of a queue are free, in the order in which they are taken
   public:
    explicit Ring(std::int64_t places) : free_(static_cast<std::size_t>(places), 0) {}
    // When the next few are. REQUIRES: there are as many.
    Cycle oldest(std::int64_t places = 1) const {
      const std::size_t at = next_ + static_cast<std::size_t>(places) - 1;
      return free_[at < free_.size() ? at : at - free_.size()];
    }
    std::int64_t size() const { return static_cast<std::int64_t>(free_.size()); }
    void push(Cycle when) {
      free_[next_] = when;
      next_ = next_ + 1 == free_.size() ? 0 : next_ + 1;
    }

   private:
    std::vector<Cycle> free_;
    std::size_t next_ = 0;
  };
  // The first cycle, not before `from`, in which nothing else goes the way that all sub-partitions share. It is taken.
  Cycle common_way(Cycle from) {
    for (Cycle i = 0; i < common_cycles_; ++i) {
      while (common_[static_cast<std::size_t>(from) % kWindow] == from) ++from;
      common_[static_cast<std::size_t>(from) % kWindow] = from;
    }
    return from;
  }

  std::vector<Cycle> free_;  // of each sub-partition, its way to the SM's queue
  QueueTurns turns_;
  Ring sm_, data_, global_, found_;
  std::int64_t wide_places_;
  Cycle register_cycles_, common_cycles_, narrow_cycles_, pipeline_cycles_;
  std::vector<PartCycles> wide_cycles_;        // of each sub-partition
  static constexpr std::size_t kWindow = 256;  // cycles from the first to the last register of what queues, and more
  std::array<Cycle, kWindow> common_{};        // which cycles are taken
  Cycle sm_left_ = 0, global_left_ = 0;        // when the last one left them
  Cycle begins_ = 0, data_cycles_ = 0;         // of the instruction that came last
  std::int64_t waiting_ = 0;                   // ... registers of data_
};

}  // namespace tilescope
