// Replies to requests whose data have not come to L2 yet: there the slices take them in, behind the stores that have
// come before them. They are kept in the order in which that happens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/support/units.h"
#include "sim/engine/memory_system.h"

namespace tilescope {

class HeldReplies {
 public:
  struct Held {
    MemorySystem::Coming coming;
    Cycle ready = 0;  // in the SM, if nothing holds it up
    std::uint32_t fill = 0;
    std::uint16_t sm = 0;
    std::uint64_t number = 0;
  };

  bool empty() const { return queue_.empty(); }
  // When something is next taken in. REQUIRES: !empty().
  Cycle earliest() const { return to_cycles_up(queue_.front().coming.now.when); }

  void add(const MemorySystem::Coming& coming, Cycle ready, std::uint32_t fill, std::uint16_t sm) {
    fresh_.push_back({coming, ready, fill, sm, number_++});
  }
  // One that was added since the last settle() comes `cycles` later; false: there is no such.
  bool later(std::uint16_t sm, std::uint32_t fill, Cycle cycles) {
    const auto held =
        std::find_if(fresh_.rbegin(), fresh_.rend(), [&](const Held& one) { return one.fill == fill && one.sm == sm; });
    if (held == fresh_.rend()) return false;
    held->ready += cycles;
    return true;
  }
  void settle() {
    for (const Held& one : fresh_) push(one);
    fresh_.clear();
  }

  // Takes in what comes before `until`; done(reply) for each that has been taken in wherever it passes.
  template <class Done>
  void take_in(MemorySystem& memory, Cycle until, Done&& done) {
    while (!queue_.empty() && queue_.front().coming.now.when < to_ticks(until)) {
      std::pop_heap(queue_.begin(), queue_.end(), later_than);
      Held one = queue_.back();
      queue_.pop_back();
      one.ready += to_cycles_up(memory.take_in(one.coming));
      if (one.coming.now.sectors.any())
        push(one);
      else
        done(one);
    }
  }

 private:
  static bool later_than(const Held& a, const Held& b) {
    return a.coming.now.when != b.coming.now.when ? a.coming.now.when > b.coming.now.when : a.number > b.number;
  }
  void push(const Held& one) {
    queue_.push_back(one);
    std::push_heap(queue_.begin(), queue_.end(), later_than);
  }

  std::vector<Held> queue_;  // a heap, the earliest first
  std::vector<Held> fresh_;  // of this round
  std::uint64_t number_ = 0;
};

}  // namespace tilescope
