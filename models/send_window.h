// The stores, or the atomics, of one SM that no slice has taken up yet. Requests leave an SM in order, and only so many
// sectors of them can be on their way: behind them everything that the SM sends waits, loads too. A read also waits
// until the last store before it no longer waits for its slice. Sources: with stores from all SMs the first 200 lines
// leave an H100's SM one every 3 to 4 cycles, as those of one SM alone do, the next ones one every 8 for as long as it
// lasts, and the warps wait for their place in the load/store queue (gpu/microbench/spills.cu, store_burst.cu;
// gpu/measured/{h200,h100}/stores_microbench.csv); warps of `histogram_global`, whose reductions from all SMs meet in
// one or two slices, wait for the loads between them, not for their place in the load/store queue (stall reasons of
// eight launches, gpu/measured/{h200,h100}/programs/histogram.csv); where stores of all SMs keep L2 busy, reads of
// these SMs wait, those of SMs that do not store hardly do (gpu/microbench/slice_shares.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class SendWindow {
 public:
  // REQUIRES: sectors > 0.
  explicit SendWindow(std::int64_t sectors) : taken_up_(static_cast<std::size_t>(sectors)) {}

  // When something that the SM sends at `now` can leave.
  Tick leaves(Tick now) const { return std::max(now, taken_up_[oldest_]); }
  // When a read that comes behind those so far can leave: the last of them no longer waits for its slice.
  Tick leaves_behind(Tick now) const { return std::max(leaves(now), waits_); }
  // What has left last waits for its slice until then.
  void waits(Tick until) { waits_ = std::max(waits_, until); }
  // When what the SM meant to send at `asked`, at most as late as all so far, has left.
  Tick left(Tick asked) const { return std::min(asked + late_, last_left_); }
  // Something on `sectors` that the SM meant to send at `asked` leaves at `now`; a slice will have taken it up at
  // `then`.
  void note(unsigned sectors, Tick asked, Tick now, Tick then) {
    late_ = now - asked;
    last_left_ = now;
    // In order: what a slice takes up early stands behind its elders all the same.
    latest_ = std::max(latest_, then);
    for (unsigned s = 0; s < sectors; ++s) {
      taken_up_[oldest_] = latest_;
      oldest_ = oldest_ + 1 == taken_up_.size() ? 0 : oldest_ + 1;
    }
  }

 private:
  std::vector<Tick> taken_up_;  // by sector of the latest ones; a ring
  std::size_t oldest_ = 0;
  Tick latest_;
  Tick late_, last_left_;  // of what was sent last
  Tick waits_;
};

}  // namespace tilescope
