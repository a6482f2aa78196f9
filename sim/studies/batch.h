// Many cases on several threads: how comparisons, fits and sweeps run their simulations.
//
// A case is a number from 0 on, and a body that works on it and keeps the result under that number; so results do not
// depend on how many threads there are or which of them is faster.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

namespace tilescope {

// Thrown by BatchCase::at() when nothing more is wanted; a body lets it through. No std::exception, so that a body
// which turns those into results does not take it for one.
struct BatchStopped {};

// What a body is given.
class BatchCase {
 public:
  virtual ~BatchCase() = default;
  virtual std::size_t number() const = 0;
  // To be called now and then: which share of the case is done, 0 to 1. Throws BatchStopped.
  virtual void at(double fraction) const = 0;
};

struct BatchProgress {
  std::size_t done = 0;  // cases that ended, with an error too
  std::size_t of = 0;
  double fraction = 0;  // of all work, that of unfinished cases included
};

struct BatchOptions {
  int threads = 1;  // cases side by side
  // By case, in any unit: the longest begin first, so that none is left alone at the end. Empty: all alike; every
  // thread has a stretch of neighbours, which may share what one of them found out, then helps with the others'
  // stretches.
  std::vector<double> work = {};
  const std::atomic<int>* stop = nullptr;  // becomes non-zero: end nothing more
  // From the calling thread, five times a second and when all has ended or stopped. May throw to stop: that comes
  // through once every thread is idle.
  std::function<void(const BatchProgress&)> on_progress = {};
};

struct BatchEnd {
  std::vector<std::exception_ptr> errors;  // by case: what its body threw; null where it threw nothing
  bool stopped = false;                    // before all cases ended

  // Throws what the first case, by number, threw that threw anything.
  void rethrow_first() const;
};

// Runs `body` for each of `cases`, on threads other than the caller's.
BatchEnd run_batch(std::size_t cases, const std::function<void(const BatchCase&)>& body, const BatchOptions& options);

}  // namespace tilescope
