#include "sim/results/walk/tree_walk.h"

#include <bit>
#include <map>
#include <numeric>

#include "models/isa/lane_pattern.h"

namespace tilescope {
namespace {

TreeWalk walked(std::int64_t values, const std::string& addressing) {
  TreeWalk walk{addressing, {}};
  const bool interleaved = addressing == "interleaved";
  std::vector<std::int64_t> held(static_cast<std::size_t>(values));
  std::iota(held.begin(), held.end(), std::int64_t{1});
  for (std::int64_t reach = 1; reach < values; reach *= 2) {
    TreeStep step;
    step.stride = interleaved ? reach : values / (2 * reach);
    std::map<std::int64_t, int> adding;  // lanes of each warp
    const std::int64_t apart = interleaved ? 2 * step.stride : 1;
    for (std::int64_t thread = 0; thread + step.stride < (interleaved ? values : 2 * step.stride); thread += apart) {
      step.threads.push_back(static_cast<int>(thread));
      ++adding[thread / kLanes];
      held[static_cast<std::size_t>(thread)] += held[static_cast<std::size_t>(thread + step.stride)];
    }
    step.warps = static_cast<int>(adding.size());
    for (const auto& [warp, lanes] : adding) step.divergent += lanes < std::min<std::int64_t>(kLanes, values);
    step.first_sum = held.front();
    walk.steps.push_back(std::move(step));
  }
  return walk;
}

}  // namespace

std::int64_t TreeWalk::additions() const {
  std::int64_t sum = 0;
  for (const TreeStep& step : steps) sum += static_cast<std::int64_t>(step.threads.size());
  return sum;
}

std::int64_t TreeWalk::warp_steps() const {
  std::int64_t sum = 0;
  for (const TreeStep& step : steps) sum += step.warps;
  return sum;
}

std::int64_t TreeWalk::divergent_warp_steps() const {
  std::int64_t sum = 0;
  for (const TreeStep& step : steps) sum += step.divergent;
  return sum;
}

const std::vector<ParameterInfo>& tree_parameters() {
  static const std::vector<ParameterInfo> known = {
      {"values", "32", "values of a CTA, and its threads; a power of two", 2, 1024},
      {"addressing", "both", "which threads add", 0, 0, {"both", "interleaved", "sequential"}}};
  return known;
}

tl::expected<TreeWalks, std::vector<std::string>> walk_tree(const ParameterTexts& parameters) {
  std::vector<std::string> problems;
  const Parameters read(tree_parameters(), parameters, problems);
  if (!problems.empty()) return tl::unexpected(problems);
  TreeWalks walks;
  walks.values = read.number("values");
  if (!std::has_single_bit(static_cast<std::uint64_t>(walks.values)))
    return tl::unexpected(std::vector{"values: got " + std::to_string(walks.values) + "; must be a power of two"});
  for (const char* addressing : {"interleaved", "sequential"})
    if (read.word("addressing") == "both" || read.word("addressing") == addressing)
      walks.walks.push_back(walked(walks.values, addressing));
  return walks;
}

}  // namespace tilescope
