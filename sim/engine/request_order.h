// Puts what all SMs have sent into the order in which the chip serves it: by time, of equal times by SM, of one SM as
// sent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/memory_request.h"
#include "models/support/huge_pages.h"
#include "models/timed_queue.h"

namespace tilescope {

class RequestOrder {
 public:
  // What `outbox` holds for times before `until` is served next; the rest stays in it. SMs come in order. The outbox's
  // times are `behind`.
  void take(std::vector<MemoryRequest>& outbox, Cycle until, Cycle behind = 0) {
    std::size_t kept = 0;
    for (MemoryRequest& request : outbox) {
      const Cycle time = request.time + behind;
      if (time < until) {
        first_ = std::min(first_, time);
        last_ = std::max(last_, time);
        taken_.push_back(request);
        taken_.back().time = time;
      } else {
        earliest_kept_ = std::min(earliest_kept_, time);
        outbox[kept++] = request;
      }
    }
    outbox.resize(kept);
  }
  void take(TimedQueue<MemoryRequest, &MemoryRequest::time>& outbox, Cycle until, Cycle behind = 0) {
    outbox.take(until - behind, [&](const MemoryRequest& request) {
      taken_.push_back(request);
      const Cycle time = taken_.back().time += behind;
      first_ = std::min(first_, time);
      last_ = std::max(last_, time);
    });
    if (!outbox.empty()) earliest_kept_ = std::min(earliest_kept_, outbox.earliest() + behind);
  }
  bool empty() const { return taken_.empty(); }
  // The earliest request that an outbox has kept since clear(); kNever: none.
  Cycle earliest_kept() const { return earliest_kept_; }

  // serve(request) for each that was taken, in order. Before that, early(request) and later(request).
  template <class Serve, class Early, class Later>
  void each(Serve&& serve, Early&& early, Later&& later) {
    constexpr std::size_t kFetched = 32, kEarly = 16, kLater = 6;  // requests
    sort();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i + kFetched < order_.size()) __builtin_prefetch(&taken_[order_[i + kFetched]]);
      if (i + kEarly < order_.size()) early(taken_[order_[i + kEarly]]);
      if (i + kLater < order_.size()) later(taken_[order_[i + kLater]]);
      serve(taken_[order_[i]]);
    }
  }
  template <class Serve>
  void each(Serve&& serve) {
    each(
        serve, [](const MemoryRequest&) {}, [](const MemoryRequest&) {});
  }

  void clear() {
    taken_.clear();
    order_.clear();
    first_ = earliest_kept_ = kNever;
    last_ = 0;
  }

 private:
  // They lie in order of SM. Counted by time, as a window has few cycles.
  void sort() {
    order_.resize(taken_.size());
    if (taken_.empty()) return;
    const auto cycles = static_cast<std::size_t>(last_ - first_) + 1;
    if (cycles > 8 * taken_.size() + 4096) return sort_by_comparison();
    begin_.assign(cycles, 0);
    for (const MemoryRequest& request : taken_) ++begin_[static_cast<std::size_t>(request.time - first_)];
    std::uint32_t before = 0;
    for (std::uint32_t& begin : begin_) before += std::exchange(begin, before);
    for (std::uint32_t i = 0; i < taken_.size(); ++i)
      order_[begin_[static_cast<std::size_t>(taken_[i].time - first_)]++] = i;
  }
  void sort_by_comparison() {
    for (std::uint32_t i = 0; i < taken_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return taken_[a].time < taken_[b].time; });
  }

  HugePageVector<MemoryRequest> taken_;
  std::vector<std::uint32_t> order_;  // of taken_
  std::vector<std::uint32_t> begin_;  // by time after first_: places in order_
  Cycle first_ = kNever;
  Cycle last_ = 0;
  Cycle earliest_kept_ = kNever;
};

}  // namespace tilescope
