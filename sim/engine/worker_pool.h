// A fixed set of threads that run one function over a range of indices and meet again. The caller works too.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
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
  void work(int thread);

  std::mutex mutex_;
  std::condition_variable start_, finish_;
  const std::function<void(int)>* body_ = nullptr;
  std::vector<std::exception_ptr> errors_;
  unsigned generation_ = 0;
  int running_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tilescope
