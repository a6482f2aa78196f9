#include "sim/studies/sweep/estimate.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "sim/engine/traffic_memo.h"
#include "sim/studies/batch.h"
#include "sim/studies/sweep/point_run.h"

namespace tilescope::sweep {
namespace {

constexpr std::size_t kEnoughStored = 8;
constexpr std::size_t kMostTimed = 12;
constexpr double kPatience = 4;  // s

struct Times {
  double seconds = 0;
  std::size_t points = 0;
};

Times stored_times(const Plan& plan, const Store* store) {
  Times times;
  if (store == nullptr) return times;
  std::set<std::string> keys;
  for (const PlannedPoint& point : plan.points) keys.insert(point.key);
  store->each_result([&](const StoredResult& result) {
    if (!result.ok || keys.count(result.key) == 0) return;
    times.seconds += result.wall_seconds;
    ++times.points;
  });
  return times;
}

double since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

Estimate estimate_work(const Plan& plan, const Store* store, const std::vector<std::size_t>& missing) {
  Estimate estimate;
  const Times stored = stored_times(plan, store);
  const auto count = static_cast<double>(missing.size());
  if (missing.empty()) return estimate;
  if (stored.points >= kEnoughStored) {
    estimate.points = stored.points;
    estimate.seconds = stored.seconds / static_cast<double>(stored.points) * count;
    return estimate;
  }
  const auto began = std::chrono::steady_clock::now();
  const std::size_t samples = std::min(kMostTimed, missing.size());
  estimate.timed = true;
  // From the middle outwards in steps that share no factor with the number of samples, so that a few are a fair mix.
  const std::size_t stride = samples % 5 == 0 ? 3 : 5;
  TrafficMemo memo;
  try {
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t slot = (samples / 2 + i * stride) % samples;
      run_point(plan, plan.points[missing[(2 * slot + 1) * missing.size() / (2 * samples)]], &memo, [&](double) {
        if (since(began) > kPatience) throw BatchStopped{};
      });
      ++estimate.points;
      if (since(began) > kPatience) break;
    }
  } catch (const BatchStopped&) {
    estimate.at_least = estimate.points == 0;
  }
  // A point that was given up took time too: the estimate is rather high than low.
  estimate.seconds = since(began) / static_cast<double>(std::max<std::size_t>(estimate.points, 1)) * count;
  return estimate;
}

}  // namespace tilescope::sweep
