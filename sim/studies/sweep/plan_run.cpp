#include "sim/studies/sweep/plan_run.h"

#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "sim/engine/traffic_memo.h"
#include "sim/studies/batch.h"
#include "sim/studies/sweep/point_run.h"

namespace tilescope::sweep {
namespace {

using Clock = std::chrono::steady_clock;

// What has finished and is not yet stored. Points are simulated by several threads, the store is written by one.
class Finished {
 public:
  void add(StoredResult result) {
    const std::scoped_lock lock(mutex_);
    results_.push_back(std::move(result));
  }
  std::vector<StoredResult> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(results_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<StoredResult> results_;
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
  Finished finished;
  TrafficMemo memo;
  BatchOptions batch;
  batch.threads = settings.jobs;
  batch.stop = settings.stop;
  batch.on_progress = [&](const BatchProgress&) {
    const std::vector<StoredResult> results = finished.take();
    if (!results.empty()) store.add_results(results);
    tally.done += results.size();
    tally.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    if (settings.on_progress) settings.on_progress(tally);
  };
  const auto run_one = [&](const BatchCase& one) {
    finished.add(
        run_point(plan, plan.points[to_do[one.number()]], &memo, [&one](double fraction) { one.at(fraction); }));
  };
  run_batch(to_do.size(), run_one, batch).rethrow_first();
  tally.stopped = tally.done < tally.to_do;
  tally.failed = failures(plan, store, settings.shard);
  tally.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return tally;
}

}  // namespace tilescope::sweep
