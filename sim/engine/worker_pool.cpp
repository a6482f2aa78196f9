#include "sim/engine/worker_pool.h"

#include <algorithm>

namespace tilescope {

WorkerPool::WorkerPool(int threads) : errors_(static_cast<std::size_t>(std::max(1, threads))) {
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
  {
    const std::scoped_lock lock(mutex_);
    body_ = &body;
    std::fill(errors_.begin(), errors_.end(), nullptr);
    running_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  start_.notify_all();
  try {
    body(0);
  } catch (...) {
    errors_[0] = std::current_exception();
  }
  {
    std::unique_lock lock(mutex_);
    finish_.wait(lock, [this] { return running_ == 0; });
  }
  for (const std::exception_ptr& error : errors_)
    if (error) std::rethrow_exception(error);
}

void WorkerPool::work(int thread) {
  unsigned seen = 0;
  while (true) {
    const std::function<void(int)>* body = nullptr;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
      body = body_;
    }
    std::exception_ptr error;
    try {
      (*body)(thread);
    } catch (...) {
      error = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    errors_[static_cast<std::size_t>(thread)] = error;
    if (--running_ == 0) finish_.notify_one();
  }
}

}  // namespace tilescope
