#include "sim/studies/sweep/submit_known.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {
namespace {

namespace fs = std::filesystem;

// A program that was killed before its first result leaves an empty file.
std::optional<Store> store_at(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size == 0) return std::nullopt;
  return std::optional<Store>(std::in_place, path, Store::Access::existing);
}

std::vector<std::string> store_paths(const Submission& submission) {
  std::vector<std::string> paths;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(submission.directory, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("shard-") && name.ends_with(".db")) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  paths.insert(paths.begin(), submission.results);
  return paths;
}

Shard shard_of(const Submission& submission, int number) {
  return {static_cast<std::size_t>(number), static_cast<std::size_t>(submission.shards)};
}

std::set<std::string> keys_of(const Plan& plan, const Shard& shard) {
  std::set<std::string> keys;
  for (std::size_t i = 0; i < plan.points.size(); ++i)
    if (shard.has(i)) keys.insert(plan.points[i].key);
  return keys;
}

}  // namespace

KnownWork known_work(const Plan& plan, const Submission& submission) {
  std::map<std::string, bool> known, merged;  // key to whether it succeeded
  for (const std::string& path : store_paths(submission)) {
    const auto store = store_at(path);
    if (!store) continue;
    for (const auto& [key, succeeded] : store->known()) {
      if (!succeeded && submission.retry_failed) continue;
      known[key] = known[key] || succeeded;
      if (path == submission.results) merged[key] = succeeded;
    }
  }

  KnownWork work;
  std::set<int> incomplete;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const auto found = known.find(plan.points[i].key);
    if (found == known.end()) {
      incomplete.insert(static_cast<int>(i % static_cast<std::size_t>(submission.shards)) + 1);
      continue;
    }
    ++work.stored;
    if (!found->second) ++work.failed;
    if (merged.count(plan.points[i].key) != 0) ++work.merged;
  }
  work.incomplete.assign(incomplete.begin(), incomplete.end());
  return work;
}

void hand_out_known(const Plan& plan, const Submission& submission, const std::vector<int>& incomplete) {
  const std::vector<std::string> paths = store_paths(submission);
  for (const int number : incomplete) {
    const std::string own = (fs::path(submission.directory) / shard_store_name(number)).string();
    std::set<std::string> wanted = keys_of(plan, shard_of(submission, number));
    if (const auto store = store_at(own))
      for (const auto& [key, succeeded] : store->known())
        if (succeeded || !submission.retry_failed) wanted.erase(key);
    for (const std::string& path : paths) {
      const auto store = path == own ? std::nullopt : store_at(path);
      if (!store) continue;
      std::vector<StoredResult> found;
      store->each_result([&](const StoredResult& result) {
        if ((result.ok || !submission.retry_failed) && wanted.erase(result.key) != 0) found.push_back(result);
      });
      if (!found.empty()) Store(own, Store::Access::create).add_results(found);
    }
  }
}

}  // namespace tilescope::sweep
