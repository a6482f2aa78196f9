// Lines of bulk copies on their way into an SM, which takes them in as they come, not as it has asked for them: a line
// that comes late waits behind all that came before it, of copies that were asked for later, too.
//
// Source: the 196,608 bytes of six stages that come to the eight CTAs of a cluster from HBM are all there 2,500 cycles
// after the first was asked for, and so is the first stage; alone it takes 1,520, and 1,610 for the CTA of one SM,
// which walks through a stage's rows before those of the next (data=cold, cluster=8 and 1: gpu/microbench/tma_burst.cu,
// H100).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/memory_request.h"
#include "models/support/units.h"

namespace tilescope {

struct BulkLine {
  Tick when;               // it comes to the SM
  std::uint32_t copy = 0;  // of the SM that has asked for it
  std::uint16_t asker = 0;
  std::uint8_t rank = 0;  // of the CTA in its cluster that it is for
  SectorMask sectors;
};

// Of one SM.
class BulkLines {
 public:
  bool empty() const { return queue_.empty(); }
  // When the next one comes. REQUIRES: !empty().
  Tick earliest() const { return queue_.front().line.when; }
  void add(const BulkLine& line) {
    queue_.push_back({line, number_++});
    std::push_heap(queue_.begin(), queue_.end(), later_than);
  }
  // take(line) for each that comes before `until`, in the order in which they come.
  template <class Take>
  void take_in(Tick until, Take&& take) {
    while (!queue_.empty() && queue_.front().line.when < until) {
      std::pop_heap(queue_.begin(), queue_.end(), later_than);
      const BulkLine line = queue_.back().line;
      queue_.pop_back();
      take(line);
    }
  }

 private:
  struct Numbered {
    BulkLine line;
    std::uint64_t number = 0;
  };
  static bool later_than(const Numbered& a, const Numbered& b) {
    return a.line.when != b.line.when ? a.line.when > b.line.when : a.number > b.number;
  }

  std::vector<Numbered> queue_;  // a heap, the earliest first
  std::uint64_t number_ = 0;
};

}  // namespace tilescope
