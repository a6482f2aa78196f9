// Which SM each thread advances next, within a window. What an SM has to do varies: a thread takes SMs of its own from
// the first on, and then helps the others from their last on, so that from window to window most SMs stay with one
// thread, whose core has their state at hand.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

class SmTurns {
 public:
  SmTurns(std::size_t sms, std::size_t threads) : threads_(threads), taken_(threads) {
    for (std::size_t t = 0; t < threads; ++t) taken_[t].sms = (sms + threads - 1 - t) / threads;
  }

  // A new window. REQUIRES: no thread is in each().
  void begin() {
    for (Taken& own : taken_) own.count.store(0, std::memory_order_relaxed);
  }
  // Calls advance(sm, next) for SMs that `thread` takes; `next`: the SM that it takes then, unless another thread is
  // quicker; the same as `sm`: none. `helps`: not only for its own.
  template <class Advance>
  void each(std::size_t thread, bool helps, Advance&& advance) {
    for (std::size_t n = 0; n < (helps ? threads_ : 1); ++n) {
      const std::size_t of = (thread + n) % threads_;
      const std::uint64_t one = n == 0 ? 1 : kFromLast;
      while (true) {
        const std::uint64_t before = taken_[of].count.fetch_add(one, std::memory_order_relaxed);
        const std::size_t first = before % kFromLast, last = before / kFromLast, sms = taken_[of].sms;
        if (first + last >= sms) break;
        const std::size_t place = n == 0 ? first : sms - 1 - last;
        const std::size_t then = first + last + 1 == sms ? place : n == 0 ? place + 1 : place - 1;
        advance(of + place * threads_, of + then * threads_);
      }
    }
  }

 private:
  static constexpr std::uint64_t kFromLast = 1ULL << 32U;  // of Taken::count
  struct alignas(64) Taken {
    std::atomic<std::uint64_t> count{0};  // of a thread's SMs: those taken from the first on, and from the last on
    std::size_t sms = 0;
  };

  std::size_t threads_;
  std::vector<Taken> taken_;  // by thread
};

}  // namespace tilescope
