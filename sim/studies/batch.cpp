#include "sim/studies/batch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

namespace tilescope {
namespace {

constexpr auto kTick = std::chrono::milliseconds(200);  // between two calls of on_progress

class Batch {
 public:
  Batch(std::size_t cases, const std::function<void(const BatchCase&)>& body, const BatchOptions& options)
      : options_(options),
        body_(body),
        order_(cases),
        fractions_(cases),
        errors_(cases),
        workers_(std::min(cases, static_cast<std::size_t>(std::max(1, options.threads)))),
        heads_(options.work.empty() ? workers_ : 1) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (!options.work.empty())
      std::stable_sort(order_.begin(), order_.end(),
                       [&](std::size_t a, std::size_t b) { return options.work[a] > options.work[b]; });
    for (std::size_t i = 0; i < heads_.size(); ++i) heads_[i] = begin_of(i);
  }

  BatchEnd run() {
    working_ = workers_;
    try {
      for (std::size_t i = 0; i < workers_; ++i) threads_.emplace_back([this, i] { work(i); });
      for (bool idle = false; !idle;) {
        idle = wait();
        if (options_.on_progress) options_.on_progress(progress());
      }
    } catch (...) {
      quit_ = true;
      join();
      throw;
    }
    join();
    return {std::move(errors_), done_ < order_.size()};
  }

 private:
  class Case : public BatchCase {
   public:
    Case(Batch& batch, std::size_t number) : batch_(batch), number_(number) {}
    std::size_t number() const override { return number_; }
    void at(double fraction) const override {
      if (batch_.stopping()) throw BatchStopped{};
      batch_.fractions_[number_] = fraction;
    }

   private:
    Batch& batch_;
    std::size_t number_;
  };

  bool stopping() const { return quit_ || (options_.stop != nullptr && *options_.stop != 0); }

  std::size_t begin_of(std::size_t stretch) const { return stretch * order_.size() / heads_.size(); }

  // A place in order_; its size when nothing is left.
  std::size_t next(std::size_t worker) {
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const std::size_t stretch = (worker + i) % heads_.size();
      const std::size_t taken = heads_[stretch]++;
      if (taken < begin_of(stretch + 1)) return taken;
    }
    return order_.size();
  }

  void work(std::size_t worker) {
    for (std::size_t i = next(worker); i < order_.size() && !stopping(); i = next(worker)) {
      const std::size_t number = order_[i];
      try {
        body_(Case(*this, number));
      } catch (const BatchStopped&) {
        break;
      } catch (...) {
        errors_[number] = std::current_exception();
      }
      fractions_[number] = 1;
      ++done_;
    }
    const std::scoped_lock lock(mutex_);
    if (--working_ == 0) all_idle_.notify_all();
  }

  // Until the next tick, or until nobody works any more: true then.
  bool wait() {
    std::unique_lock lock(mutex_);
    return all_idle_.wait_for(lock, kTick, [this] { return working_ == 0; });
  }

  BatchProgress progress() const {
    BatchProgress progress{done_, order_.size(), 0};
    double all = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const double weight = options_.work.empty() ? 1 : options_.work[i];
      progress.fraction += weight * fractions_[i];
      all += weight;
    }
    progress.fraction = all > 0 ? progress.fraction / all : 1;
    return progress;
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  const BatchOptions& options_;
  const std::function<void(const BatchCase&)>& body_;
  std::vector<std::size_t> order_;              // of the cases' beginning
  std::vector<std::atomic<double>> fractions_;  // by case
  std::vector<std::exception_ptr> errors_;      // by case; each written by the one thread that works on it
  std::size_t workers_;
  std::vector<std::atomic<std::size_t>> heads_;  // of the stretches of order_: the next place of each
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> quit_{false};
  std::mutex mutex_;
  std::condition_variable all_idle_;
  std::size_t working_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

void BatchEnd::rethrow_first() const {
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

BatchEnd run_batch(std::size_t cases, const std::function<void(const BatchCase&)>& body, const BatchOptions& options) {
  return cases == 0 ? BatchEnd{} : Batch(cases, body, options).run();
}

}  // namespace tilescope
