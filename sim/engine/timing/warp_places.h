// How many warps each sub-partition has room for: their registers and places are free again as soon as a warp has
// exited, whatever the others of its CTA do. A CTA's warps go round the sub-partitions, from the emptiest.
// Source: how many CTAs an SM holds some of whose warps exit at once, by registers and threads
// (gpu/microbench/cta_turn.cu, H200).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class WarpPlaces {
 public:
  WarpPlaces(std::size_t sub_partitions, std::int64_t warps_of_each) : taken_(sub_partitions), all_(warps_of_each) {}

  // Of the next CTA's first warp.
  std::size_t emptiest() const { return emptiest_of(taken_); }
  void take(std::size_t sub_partition) { ++taken_[sub_partition]; }
  // A warp's place is free from `when` on.
  void leave(std::size_t sub_partition, Cycle when) {
    --taken_[sub_partition];
    leaving_.emplace_back(when, sub_partition);
  }

  // Whether a CTA of so many warps found room at `when`. REQUIRES: `when` does not decrease.
  bool fit(std::size_t warps, Cycle when) {
    std::erase_if(leaving_, [when](const Leaving& one) { return one.first <= when; });
    then_ = taken_;
    for (const Leaving& one : leaving_) ++then_[one.second];
    const std::size_t first = emptiest_of(then_);
    for (std::size_t w = 0; w < warps; ++w) ++then_[(first + w) % then_.size()];
    return *std::max_element(then_.begin(), then_.end()) <= all_;
  }

 private:
  using Leaving = std::pair<Cycle, std::size_t>;

  static std::size_t emptiest_of(const std::vector<std::int64_t>& taken) {
    return static_cast<std::size_t>(std::min_element(taken.begin(), taken.end()) - taken.begin());
  }

  std::vector<std::int64_t> taken_;  // by sub-partition
  std::vector<std::int64_t> then_;   // the same when fit() was asked last, with the CTA that it was asked for
  std::vector<Leaving> leaving_;     // that were there when it was asked last
  std::int64_t all_;
};

}  // namespace tilescope
