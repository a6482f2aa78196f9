// Answers of the chip that an SM knows of before they are there, in order of time; of equal times, as they became
// known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/outstanding_misses.h"

namespace tilescope {

class AnswerQueue {
 public:
  // When the first of them is there; kNever: there is none.
  Cycle next() const { return next_; }
  void push(const OutstandingMisses::Arrival& arrival) {
    waiting_.push_back({arrival, count_++});
    std::push_heap(waiting_.begin(), waiting_.end(), later);
    next_ = waiting_.front().arrival.ready;
  }
  // REQUIRES: there is one.
  OutstandingMisses::Arrival pop() {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    const OutstandingMisses::Arrival first = waiting_.back().arrival;
    waiting_.pop_back();
    next_ = waiting_.empty() ? kNever : waiting_.front().arrival.ready;
    return first;
  }

 private:
  struct Entry {
    OutstandingMisses::Arrival arrival;
    std::uint64_t number;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.arrival.ready != b.arrival.ready ? a.arrival.ready > b.arrival.ready : a.number > b.number;
  }

  std::vector<Entry> waiting_;  // a heap
  std::uint64_t count_ = 0;
  Cycle next_ = kNever;
};

}  // namespace tilescope
