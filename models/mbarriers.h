// The mbarriers of one CTA: words in shared memory that count arrivals and bytes, phase after phase, and the warps that
// wait for the end of one.
//
// Arrivals and bytes of a phase may be told in any order, each with its time; the phase ends at the latest of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/support/units.h"

namespace tilescope {

class Mbarriers {
 public:
  // A warp whose `scoreboard` waits for the phase of this parity.
  struct Waiter {
    std::uint32_t offset = 0;  // of the mbarrier, byte
    std::uint16_t warp = 0;
    std::uint8_t scoreboard = 0;
    bool parity = false;
  };

  // For the next CTA in this place.
  void clear() {
    barriers_.clear();
    waiters_.clear();
  }
  void set(std::uint32_t offset, std::uint32_t arrivals, bool parity) {
    barriers_[offset] = {.expected = arrivals, .pending = arrivals, .parity = parity};
  }
  // `arrivals` are counted and `bytes` more expected (complete: negative) at `when`. True when a phase ends with that.
  bool add(std::uint32_t offset, std::uint32_t arrivals, std::int64_t bytes, bool drops, Cycle when) {
    Barrier& barrier = barriers_[offset];
    barrier.latest = std::max(barrier.latest, when);
    barrier.pending -= arrivals;
    barrier.bytes += bytes;
    if (drops) barrier.expected -= arrivals;
    if (barrier.pending != 0 || barrier.bytes != 0) return false;
    barrier.pending = barrier.expected;
    barrier.parity = !barrier.parity;
    barrier.ended = barrier.latest;
    return true;
  }
  // When the phase of this parity has ended; kNever: not yet.
  Cycle ended(std::uint32_t offset, bool parity) const {
    const auto known = barriers_.find(offset);
    return known == barriers_.end() || known->second.parity == parity ? kNever : known->second.ended;
  }

  void wait(const Waiter& waiter) { waiters_.push_back(waiter); }
  // release(waiter, when) for each whose phase has ended.
  template <class Release>
  void release(std::uint32_t offset, Release&& release) {
    std::erase_if(waiters_, [&](const Waiter& waiter) {
      const Cycle when = waiter.offset == offset ? ended(offset, waiter.parity) : kNever;
      if (when != kNever) release(waiter, when);
      return when != kNever;
    });
  }
  bool anybody_waits() const { return !waiters_.empty(); }

 private:
  struct Barrier {
    std::int64_t expected = 0, pending = 0;  // arrivals
    std::int64_t bytes = 0;
    Cycle latest = 0;  // of what the running phase has counted
    Cycle ended = 0;   // the phase before
    bool parity = false;
  };
  std::unordered_map<std::uint32_t, Barrier> barriers_;  // by offset
  std::vector<Waiter> waiters_;
};

}  // namespace tilescope
