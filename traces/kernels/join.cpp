#include "traces/kernels/join.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

// Where the runs from `begin` on go through one run of the compiled code: behind the last of them. Of each but the
// first, one time counts.
std::size_t end_of_run(const LoopCode& code, const std::vector<RouteRun>& route, std::size_t begin) {
  const auto section = [&](std::size_t i) -> const LoopSection& {
    return code.sections[static_cast<std::size_t>(route[i].section)];
  };
  std::size_t end = begin + 1;
  while (end < route.size() && route[end - 1].joined && (end - 1 == begin || route[end - 1].repeats == 1) &&
         section(end).first == section(end - 1).first + section(end - 1).code.size())
    ++end;
  return end;
}

}  // namespace

LoopCode joined(const LoopCode& code) {
  LoopCode made = code;
  made.route.clear();
  std::map<std::vector<std::int64_t>, int> known;  // by sections, and the steps of K between their beginnings
  std::vector<RouteRun> route = code.route;
  for (std::size_t i = 0; i < route.size();) {
    const std::size_t end = end_of_run(code, route, i);
    if (end == i + 1) {
      made.route.push_back(route[i++]);
      continue;
    }
    if (route[i].repeats > 1) {
      RouteRun before = route[i];
      --before.repeats;
      made.route.push_back(before);
      route[i].first_step += before.repeats * code.sections[static_cast<std::size_t>(before.section)].steps;
      route[i].repeats = 1;
    }
    std::optional<std::int64_t> step;  // of the first section that goes along K
    LoopSection whole;
    whole.first = code.sections[static_cast<std::size_t>(route[i].section)].first;
    std::vector<std::int64_t> key;
    for (std::size_t part = i; part < end; ++part) {
      const LoopSection& of = code.sections[static_cast<std::size_t>(route[part].section)];
      if (!step && of.steps > 0) step = route[part].first_step;
      const std::int64_t ahead = of.steps > 0 ? route[part].first_step - *step : 0;
      key.insert(key.end(), {route[part].section, ahead});
      whole.code.insert(whole.code.end(), of.code.begin(), of.code.end());
      std::size_t operand = whole.accesses.size();
      whole.accesses.insert(whole.accesses.end(), of.accesses.begin(), of.accesses.end());
      for (; operand < whole.accesses.size(); ++operand) whole.accesses[operand].step += static_cast<int>(ahead);
      whole.steps = std::max(whole.steps, ahead + of.steps);
    }
    const auto [at, is_new] = known.try_emplace(std::move(key), static_cast<int>(made.sections.size()));
    if (is_new) made.sections.push_back(std::move(whole));
    made.route.push_back({.section = at->second, .repeats = 1, .first_step = step.value_or(0)});
    if (route[end - 1].repeats > 1) {  // the others are runs of their own
      --route[end - 1].repeats;
      route[end - 1].first_step += code.sections[static_cast<std::size_t>(route[end - 1].section)].steps;
      i = end - 1;
    } else {
      i = end;
    }
  }
  return made;
}

}  // namespace tilescope
