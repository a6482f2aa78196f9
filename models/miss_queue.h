// What the tag stage of an SM has found to be missing and has not left the SM yet: lines, in order, one leaves each
// time the way out takes it, some cycles after it was looked up. A miss of other sectors of a line that is still here
// joins its request. While the queue is full the tag stage stands still.
//
// Source: counted_merges and line_rate (gpu/microbench, H200). Of loads of 16 lines, one directly behind the other,
// every pair of sectors becomes one request, of loads of 32 lines none does: the first lines have left when the tag
// stage finds room for the second load. One line a cycle is all that an SM asks for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class MissQueue {
 public:
  // `lines`: places. `cycles`: from a line's turn on the way out, at the
  // earliest its look-up, until it has left.
  MissQueue(std::int64_t lines, Cycle cycles) : leaves_(static_cast<std::size_t>(lines), 0), cycles_(cycles) {}

  // When there is room for `lines` more; for more than there are places, when it is empty.
  Cycle room_at(std::size_t lines) const {
    const std::size_t last = std::min(lines, leaves_.size()) - 1;
    return leaves_[(oldest_ + last) % leaves_.size()];
  }
  // A line whose turn on the way out is at `turn` takes a place. Returns when it leaves the SM. REQUIRES: turns do not
  // decrease.
  Cycle add(Cycle turn) {
    const Cycle leaves = turn + cycles_;
    leaves_[oldest_] = leaves;
    oldest_ = oldest_ + 1 == leaves_.size() ? 0 : oldest_ + 1;
    return leaves;
  }

 private:
  std::vector<Cycle> leaves_;  // of the lines that came last, a ring
  std::size_t oldest_ = 0;
  Cycle cycles_;
};

}  // namespace tilescope
