// What the tag stage of an SM has found to be missing and has not left the SM yet: lines, in order, one leaves each
// time the way out takes it. While the queue is full the tag stage stands still. Source: line_rate (gpu/microbench,
// H200): one line a cycle is all that an SM asks for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class MissQueue {
 public:
  // `lines`: places.
  explicit MissQueue(std::int64_t lines) : leaves_(static_cast<std::size_t>(lines), 0) {}

  // When there is room for `lines` more; for more than there are places, when it is empty.
  Cycle room_at(std::size_t lines) const {
    const std::size_t last = std::min(lines, leaves_.size()) - 1;
    return leaves_[(oldest_ + last) % leaves_.size()];
  }
  // A line takes a place until its turn on the way out. REQUIRES: turns do not decrease.
  void add(Cycle turn) {
    leaves_[oldest_] = turn;
    oldest_ = oldest_ + 1 == leaves_.size() ? 0 : oldest_ + 1;
  }

 private:
  std::vector<Cycle> leaves_;  // of the lines that came last, a ring
  std::size_t oldest_ = 0;
};

}  // namespace tilescope
