// Replies to requests whose data have not come to L2 yet: on their way from there to the SM they meet what has come
// before them. They are kept in the order of what happens next to each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/support/units.h"
#include "sim/engine/memory_system.h"

namespace tilescope {

class HeldReplies {
 public:
  struct Held {
    MemorySystem::Coming coming;
    Cycle ready = 0;  // in the SM, when it has been taken in
    std::uint32_t fill = 0;
    std::uint16_t sm = 0;
    std::uint64_t number = 0;
  };

  bool empty() const { return queue_.empty(); }
  // Nothing is taken in before. REQUIRES: !empty().
  Cycle earliest() const { return to_cycles_up(queue_.front().coming.when); }

  void add(const MemorySystem::Coming& coming, std::uint32_t fill, std::uint16_t sm) {
    push({coming, 0, fill, sm, number_++});
  }

  // Takes in what comes before `until`; done(reply) for each that has been taken in wherever it passes.
  template <class Done>
  void take_in(MemorySystem& memory, Cycle until, Done&& done) {
    while (!queue_.empty() && queue_.front().coming.when < to_ticks(until)) {
      std::pop_heap(queue_.begin(), queue_.end(), later_than);
      Held one = queue_.back();
      queue_.pop_back();
      const std::optional<Cycle> ready = memory.take_in(one.coming);
      if (!ready) {
        push(one);
        continue;
      }
      one.ready = *ready;
      done(one);
    }
  }

 private:
  static bool later_than(const Held& a, const Held& b) {
    return a.coming.when != b.coming.when ? a.coming.when > b.coming.when : a.number > b.number;
  }
  void push(const Held& one) {
    queue_.push_back(one);
    std::push_heap(queue_.begin(), queue_.end(), later_than);
  }

  std::vector<Held> queue_;  // a heap, the earliest first
  std::uint64_t number_ = 0;
};

}  // namespace tilescope
