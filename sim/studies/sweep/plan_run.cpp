#include "sim/studies/sweep/plan_run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "sim/engine/traffic_memo.h"
#include "sim/studies/sweep/point_run.h"

namespace tilescope::sweep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBatch = std::chrono::milliseconds(200);  // of results in one transaction

// Threads that simulate and hand over what they have finished.
class Workers {
 public:
  Workers(const Plan& plan, const std::vector<std::size_t>& to_do, const RunSettings& settings)
      : plan_(plan), to_do_(to_do), stop_(settings.stop) {
    const auto jobs = std::min(static_cast<std::size_t>(settings.jobs), to_do.size());
    working_ = jobs;
    heads_ = std::vector<std::atomic<std::size_t>>(jobs);
    for (std::size_t i = 0; i < jobs; ++i) heads_[i] = begin_of(i);
    for (std::size_t i = 0; i < jobs; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~Workers() {
    quit_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // What has finished since the last call, after kBatch or when nobody works any more; `idle` then.
  std::vector<StoredResult> take(bool& idle) {
    std::unique_lock lock(mutex_);
    all_done_.wait_for(lock, kBatch, [this] { return working_ == 0; });
    idle = working_ == 0;
    if (error_) std::rethrow_exception(error_);
    return std::exchange(finished_, {});
  }

 private:
  bool stopping() const { return quit_ || (stop_ != nullptr && *stop_ != 0); }

  // Each worker has a stretch of neighbouring points, which often share traffic, then helps with the others'.
  std::size_t begin_of(std::size_t stretch) const { return stretch * to_do_.size() / heads_.size(); }

  // to_do_.size(): nothing is left.
  std::size_t next(std::size_t worker) {
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const std::size_t stretch = (worker + i) % heads_.size();
      const std::size_t taken = heads_[stretch]++;
      if (taken < begin_of(stretch + 1)) return taken;
    }
    return to_do_.size();
  }

  void work(std::size_t worker) {
    const StopCheck check = [this] {
      if (stopping()) throw Stopped{};
    };
    try {
      for (std::size_t i = next(worker); i < to_do_.size() && !stopping(); i = next(worker)) {
        StoredResult result = run_point(plan_, plan_.points[to_do_[i]], &memo_, check);
        const std::scoped_lock lock(mutex_);
        finished_.push_back(std::move(result));
      }
    } catch (const Stopped&) {
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      error_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    if (--working_ == 0) all_done_.notify_all();
  }

  const Plan& plan_;
  const std::vector<std::size_t>& to_do_;
  const std::atomic<int>* stop_;
  TrafficMemo memo_;
  std::vector<std::atomic<std::size_t>> heads_;  // of the stretches: the next point of each
  std::atomic<bool> quit_{false};
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::size_t working_ = 0;
  std::vector<StoredResult> finished_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

std::size_t failures(const Plan& plan, const Store& store, const Shard& shard) {
  const auto known = store.known();
  std::size_t failed = 0;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const auto found = shard.has(i) ? known.find(plan.points[i].key) : known.end();
    if (found != known.end() && !found->second) ++failed;
  }
  return failed;
}

}  // namespace

std::vector<std::size_t> missing_points(const Plan& plan, const Store& store, const Shard& shard, bool retry_failed) {
  const auto known = store.known();
  std::set<std::string> wanted;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!shard.has(i)) continue;
    const auto found = known.find(plan.points[i].key);
    if (found != known.end() && (found->second || !retry_failed)) continue;
    if (wanted.insert(plan.points[i].key).second) missing.push_back(i);
  }
  return missing;
}

RunTally run_plan(const Plan& plan, Store& store, const RunSettings& settings) {
  const auto began = Clock::now();
  store.set_points(stored_points(plan));
  const std::vector<std::size_t> to_do = missing_points(plan, store, settings.shard, settings.retry_failed);
  RunTally tally;
  for (std::size_t i = 0; i < plan.points.size(); ++i) tally.points += settings.shard.has(i) ? 1 : 0;
  tally.to_do = to_do.size();
  tally.stored = tally.points - missing_points(plan, store, settings.shard, false).size();
  if (!to_do.empty()) {
    Workers workers(plan, to_do, settings);
    for (bool idle = false; !idle;) {
      const std::vector<StoredResult> finished = workers.take(idle);
      if (!finished.empty()) store.add_results(finished);
      tally.done += finished.size();
      tally.seconds = std::chrono::duration<double>(Clock::now() - began).count();
      if (settings.on_progress) settings.on_progress(tally);
    }
  }
  tally.stopped = tally.done < tally.to_do;
  tally.failed = failures(plan, store, settings.shard);
  tally.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return tally;
}

}  // namespace tilescope::sweep
