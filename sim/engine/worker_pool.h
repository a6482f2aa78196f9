// A fixed set of threads that run one function and meet again, often: many thousand times a second. The caller works
// too. Who waits for the others looks for them a moment long before it goes to sleep, as waking up takes longer than
// many a piece of work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tilescope {

class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // Calls body(thread) once on every thread and returns when all have; rethrows the first exception by thread number.
  void run(const std::function<void(int)>& body);

 private:
  class Patience;

  void work(int thread);

  std::mutex mutex_;
  std::condition_variable start_, finish_;
  const std::function<void(int)>* body_ = nullptr;
  std::vector<std::exception_ptr> errors_;
  std::atomic<unsigned> generation_{0};  // changes under the mutex
  std::atomic<int> running_{0};
  std::atomic<bool> stop_{false};       // changes under the mutex
  int asleep_ = 0;                      // workers, under the mutex
  bool caller_asleep_ = false;          // under the mutex
  std::unique_ptr<Patience> patience_;  // the caller's
  std::vector<std::thread> workers_;
};

}  // namespace tilescope
