#include "sim/engine/worker_pool.h"

#include <algorithm>
#include <chrono>

namespace tilescope {

// Looks for something that another thread does, at first without a pause, then leaving the core to whoever wants it. A
// window's requests, which one thread serves, take up to a millisecond; sleeping and waking up every time would cost a
// tenth of that and more. After a look in vain, be the other busy with much or without a core, the next ones go to
// sleep at once; and looks are short while a tenth of the time went into such.
class WorkerPool::Patience {
 public:
  // False: the condition does not hold yet.
  template <class Condition>
  bool sees(Condition condition) {
    if (rests_ > 0) return --rests_, condition();
    const auto begin = Clock::now();
    const auto longest = kVainShare * in_vain_ < begin - first_ ? kLongest : kAlone;
    Clock::duration waited{};
    do {
      if (waited > kAlone) std::this_thread::yield();
      for (int look = 0; look < kLooks; ++look)
        if (condition()) return true;
      waited = Clock::now() - begin;
    } while (waited < longest);
    in_vain_ += waited;
    rests_ = kRests;
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kAlone = std::chrono::microseconds(20), kLongest = std::chrono::milliseconds(1);
  static constexpr int kLooks = 64, kRests = 64, kVainShare = 10;
  const Clock::time_point first_ = Clock::now();
  Clock::duration in_vain_{};
  int rests_ = 0;
};

WorkerPool::WorkerPool(int threads)
    : errors_(static_cast<std::size_t>(std::max(1, threads))), patience_(std::make_unique<Patience>()) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
}

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::run(const std::function<void(int)>& body) {
  if (workers_.empty()) {
    body(0);
    return;
  }
  body_ = &body;
  std::fill(errors_.begin(), errors_.end(), nullptr);
  running_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    generation_.fetch_add(1, std::memory_order_release);
    wake = asleep_ > 0;
  }
  if (wake) start_.notify_all();
  try {
    body(0);
  } catch (...) {
    errors_[0] = std::current_exception();
  }
  const auto all_done = [this] { return running_.load(std::memory_order_acquire) == 0; };
  if (!patience_->sees(all_done)) {
    std::unique_lock lock(mutex_);
    caller_asleep_ = true;
    finish_.wait(lock, all_done);
    caller_asleep_ = false;
  }
  for (const std::exception_ptr& error : errors_)
    if (error) std::rethrow_exception(error);
}

void WorkerPool::work(int thread) {
  unsigned seen = 0;
  Patience patience;
  const auto called = [&] { return stop_ || generation_.load(std::memory_order_acquire) != seen; };
  while (true) {
    if (!patience.sees(called)) {
      std::unique_lock lock(mutex_);
      ++asleep_;
      start_.wait(lock, called);
      --asleep_;
    }
    if (stop_) return;
    seen = generation_.load(std::memory_order_acquire);
    try {
      (*body_)(thread);
    } catch (...) {
      errors_[static_cast<std::size_t>(thread)] = std::current_exception();
    }
    if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    const std::scoped_lock lock(mutex_);
    if (caller_asleep_) finish_.notify_one();
  }
}

}  // namespace tilescope
