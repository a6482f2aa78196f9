#include "sim/studies/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace tilescope::sweep {
namespace {

constexpr std::size_t kBatch = 1000;  // results in one transaction

std::map<std::string, std::vector<StoredPoint>> points_by_study(const Store& store) {
  std::map<std::string, std::vector<StoredPoint>> studies;
  for (StoredPoint& point : store.points()) studies[point.study].push_back(std::move(point));
  return studies;
}

// Keys differ with the program's version too, so two versions of it are told apart here.
[[noreturn]] void refuse_different(const std::string& study, const Store& into, const Store& from) {
  throw std::invalid_argument(
      fmt::format("{}: its study {} has other points than that of {}, or another version of the program ran it; "
                  "name the study's file with --study to keep what belongs to it",
                  from.path(), study, into.path()));
}

void merge_points(Store& into, const Store& from, const std::string& planned) {
  const auto present = points_by_study(into);
  for (const auto& [study, points] : points_by_study(from)) {
    if (study == planned) continue;
    const auto known = present.find(study);
    if (known == present.end())
      into.set_points(points);
    else if (known->second != points)
      refuse_different(study, into, from);
  }
}

}  // namespace

void merge_store(Store& into, const Store& from, const std::string& planned) {
  merge_points(into, from, planned);
  const auto known = into.known();
  std::vector<StoredResult> fresh;
  const auto flush = [&] {
    if (!fresh.empty()) into.add_results(fresh);
    fresh.clear();
  };
  from.each_result([&](const StoredResult& result) {
    const auto found = known.find(result.key);
    if (found != known.end() && (found->second || !result.ok)) return;
    fresh.push_back(result);
    if (fresh.size() == kBatch) flush();
  });
  flush();
}

std::vector<MissingPoint> missing_or_failed(const Store& store) {
  std::vector<MissingPoint> all;
  store.each_point([&](const StoredPoint& point, const StoredResult* result) {
    if (result == nullptr)
      all.push_back({point, ""});
    else if (!result->ok)
      all.push_back({point, result->reason});
  });
  return all;
}

}  // namespace tilescope::sweep
