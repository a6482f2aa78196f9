// The queues in which memory instructions wait between their issue and the load/store pipeline of the SM: one of each
// sub-partition, one of the SM, and behind that one more for instructions of global and local memory. All are in order.
// An instruction with addresses of 64 bits takes several places of the SM's queue. Accesses to shared memory and
// shuffles leave that queue when they begin to pass the data stage. Those to global memory leave theirs when they are
// looked up; what of them does not wait for L2 queues once more for the data stage, and few at a time.
// Sub-partitions come in order of issue.
// Source: how many accesses of other warps an access waits for (gpu/microbench/beside.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/units.h"

namespace tilescope {

class MemoryQueues {
 public:
  enum Kind : std::size_t { shared, global };

  MemoryQueues(const LsuSpec& spec, std::size_t sub_partitions)
      : subs_(sub_partitions, Sub{Ring(spec.queue_entries), Ring(spec.global_queue_per_sub)}),
        sm_(spec.shared_queue_entries),
        global_(spec.global_queue_entries),
        found_(spec.found_queue_entries),
        wide_places_(std::min(spec.wide_queue_places, spec.shared_queue_entries)) {}

  // When a sub-partition has room for one more.
  Cycle room_at(Kind kind, std::size_t sub) const {
    const Sub& own = subs_[sub];
    return kind == shared ? own.all.oldest() : std::max(own.all.oldest(), own.global.oldest());
  }

  // Takes an instruction that `sub` issues at `now` and hands on in `cycles`; `wide`: with addresses of 64 bits.
  // Returns when the pipeline can take it up; leave_...() comes next. REQUIRES: there is room.
  Cycle enter(Kind kind, Cycle now, std::size_t sub, bool wide, Cycle cycles) {
    const std::int64_t places = wide ? wide_places_ : 1;
    Sub& own = subs_[sub];
    const Cycle queued = std::max({now, own.free, sm_.oldest(places)});
    handed_on_ = queued;
    own.free = queued + cycles;
    own.all.push(queued);
    const Cycle first = std::max(queued, sm_left_);
    if (kind == shared) return first;
    own.global.push(queued);
    sm_left_ = std::max(first, global_.oldest());
    for (std::int64_t i = 0; i < places; ++i) sm_.push(sm_left_);
    return std::max(sm_left_, global_left_);
  }
  // When the instruction that came last leaves its sub-partition's queue.
  Cycle handed_on() const { return handed_on_; }
  // `turn`: from when on the pipeline can take up the next one; `left`, not earlier: when its place is free.
  void leave_shared(Cycle turn, Cycle left) {
    sm_left_ = std::max(sm_left_, turn);
    sm_.push(std::max(sm_left_, left));
  }
  // It waits for L2, or is not there at all.
  void leave_global(Cycle looked_up) {
    global_left_ = std::max(global_left_, looked_up);
    global_.push(global_left_);
  }
  // It begins to pass the data stage at `left`.
  void leave_global(Cycle looked_up, Cycle left) {
    leave_global(std::max(looked_up, found_.oldest()));
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
    void push(Cycle when) {
      free_[next_] = when;
      next_ = next_ + 1 == free_.size() ? 0 : next_ + 1;
    }

   private:
    std::vector<Cycle> free_;
    std::size_t next_ = 0;
  };
  struct Sub {
    Ring all, global;
    Cycle free = 0;  // its way to the SM's queue
  };
  std::vector<Sub> subs_;
  Ring sm_, global_, found_;
  std::int64_t wide_places_;
  Cycle sm_left_ = 0, global_left_ = 0;  // when the last one left them
  Cycle handed_on_ = 0;
};

}  // namespace tilescope
