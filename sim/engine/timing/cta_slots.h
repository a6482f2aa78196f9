// The places of an SM's resident CTAs: which are free, which warps belong to each, and its barriers.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cta_barriers.h"
#include "models/mbarriers.h"
#include "models/occupancy.h"
#include "models/support/units.h"

namespace tilescope {

struct CtaSlot {
  std::int64_t cta = -1;
  Cycle start = 0;
  Cycle end = 0;     // so far
  Cycle stored = 0;  // the last of its stores so far is to leave the SM
  std::vector<std::uint16_t> warps;
  CtaBarriers barriers;
  Mbarriers mbarriers;
  std::int64_t cluster = 0;
  std::uint32_t rank = 0;              // in its cluster
  std::uint32_t cluster_releases = 0;  // of the cluster's barrier
  Cycle cluster_released = 0;          // the last of them
};

class CtaSlots {
 public:
  explicit CtaSlots(const Occupancy& occupancy) : slots_(static_cast<std::size_t>(occupancy.ctas_that_run_out)) {
    std::uint16_t next = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      for (std::int64_t w = 0; w < occupancy.warps_per_cta; ++w) slots_[s].warps.push_back(next++);
      free_.push_back(static_cast<std::uint16_t>(slots_.size() - 1 - s));
    }
    warps_ = next;
  }

  int free() const { return static_cast<int>(free_.size()); }
  int resident() const { return static_cast<int>(slots_.size() - free_.size()); }
  std::size_t warps() const { return warps_; }
  std::size_t warps_of_cta() const { return slots_.front().warps.size(); }
  CtaSlot& operator[](std::uint16_t slot) { return slots_[slot]; }

  // REQUIRES: free() > 0.
  std::uint16_t take(std::int64_t cta, Cycle start) {
    const std::uint16_t s = free_.back();
    free_.pop_back();
    slots_[s].cta = cta;
    slots_[s].start = slots_[s].end = start;
    slots_[s].stored = 0;
    slots_[s].barriers.start(static_cast<int>(slots_[s].warps.size()));
    slots_[s].mbarriers.clear();
    slots_[s].cluster_releases = 0;
    return s;
  }
  // The resident CTA of this number; null when there is none.
  CtaSlot* find(std::int64_t cta) {
    for (CtaSlot& slot : slots_)
      if (slot.cta == cta) return &slot;
    return nullptr;
  }
  void give_back(std::uint16_t slot) {
    slots_[slot].cta = -1;
    free_.push_back(slot);
  }

 private:
  std::vector<CtaSlot> slots_;
  std::vector<std::uint16_t> free_;
  std::size_t warps_ = 0;
};

}  // namespace tilescope
