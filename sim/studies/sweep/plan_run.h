// What a plan still lacks, computed by several threads and stored as it comes.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {

struct RunTally {
  std::size_t points = 0;  // of the shard
  std::size_t stored = 0;  // of them, before the run
  std::size_t to_do = 0;   // what the run set out to do
  std::size_t done = 0;    // by this run, failures too
  std::size_t failed = 0;  // of all the shard's points that have a result now
  bool stopped = false;    // asked to, before all was done
  double seconds = 0;
};

struct RunSettings {
  int jobs = 1;  // points side by side; results do not depend on it
  Shard shard;
  bool retry_failed = false;                              // otherwise a stored failure stays
  const std::atomic<int>* stop = nullptr;                 // becomes non-zero: finish nothing more
  std::function<void(const RunTally&)> on_progress = {};  // from the calling thread, several times a second
};

// Points of the shard without a result, by their index in plan.points; of equal ones the first.
std::vector<std::size_t> missing_points(const Plan& plan, const Store& store, const Shard& shard, bool retry_failed);

// What has finished is on the disk within a fifth of a second. Throws StoreError; what was stored before stays.
RunTally run_plan(const Plan& plan, Store& store, const RunSettings& settings);

}  // namespace tilescope::sweep
