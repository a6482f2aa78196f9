#include "sim/results/views/tree_walk_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/lane_pattern.h"
#include "sim/results/views/svg_picture.h"

namespace tilescope {
namespace {

constexpr std::int64_t kThreadsDrawn = 256;
constexpr const char *kAll = "#2f66b0", *kSome = "#9fbde6";

std::string rule_of(const TreeWalk& walk) {
  return walk.addressing == "interleaved"
             ? "thread t adds value t + s to its own where t is a multiple of 2 s; s = 1, 2, 4, ..."
             : "thread t below s adds value t + s to its own; s = half of the values, a quarter, ...";
}

std::string lanes_text(const TreeStep& step, std::int64_t values) {
  std::string text(static_cast<std::size_t>(std::min<std::int64_t>(values, kLanes)), '.');
  for (const int thread : step.threads)
    if (static_cast<std::size_t>(thread) < text.size()) text[static_cast<std::size_t>(thread)] = '#';
  return text;
}

std::string totals_text(const TreeWalk& walk) {
  return fmt::format("{} steps, {} additions; warps that take part, step by step: {}, of them {} with idle lanes",
                     walk.steps.size(), walk.additions(), walk.warp_steps(), walk.divergent_warp_steps());
}

// Of a box of `count` threads from `first` on.
std::int64_t adding(const TreeStep& step, std::int64_t first, std::int64_t count) {
  return std::count_if(step.threads.begin(), step.threads.end(),
                       [&](int thread) { return thread >= first && thread < first + count; });
}

}  // namespace

std::string tree_text(const TreeWalks& tree) {
  std::string text =
      fmt::format("tree of {} values in shared memory, {} threads in {} warps; value i begins as i + 1\n", tree.values,
                  tree.values, (tree.values + kLanes - 1) / kLanes);
  for (const TreeWalk& walk : tree.walks) {
    text += fmt::format("\n{}: {}\n", walk.addressing, rule_of(walk));
    text += fmt::format("  step  stride  threads  warps  divergent  value 0  threads 0 to {}, those that add\n",
                        std::min<std::int64_t>(tree.values, kLanes) - 1);
    for (std::size_t i = 0; i < walk.steps.size(); ++i) {
      const TreeStep& step = walk.steps[i];
      text += fmt::format("  {:>4}  {:>6}  {:>7}  {:>5}  {:>9}  {:>7}  {}\n", i + 1, step.stride, step.threads.size(),
                          step.warps, step.divergent, step.first_sum, lanes_text(step, tree.values));
    }
    text += "  " + totals_text(walk) + "\n";
  }
  return text + fmt::format("\na loop of one thread would take {} steps for the same additions\n", tree.values - 1);
}

nlohmann::ordered_json tree_json(const TreeWalks& tree) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "tilescope.walk_tree/1"}, {"values", tree.values}, {"walks", Json::array()}};
  for (const TreeWalk& walk : tree.walks) {
    Json one = {{"addressing", walk.addressing},
                {"additions", walk.additions()},
                {"warp_steps", walk.warp_steps()},
                {"divergent_warp_steps", walk.divergent_warp_steps()},
                {"steps", Json::array()}};
    for (const TreeStep& step : walk.steps)
      one["steps"].push_back({{"stride", step.stride},
                              {"threads", step.threads},
                              {"warps", step.warps},
                              {"divergent_warps", step.divergent},
                              {"first_sum", step.first_sum}});
    json["walks"].push_back(one);
  }
  return json;
}

std::string tree_svg(const TreeWalks& tree) {
  const std::int64_t unit = tree.values > kThreadsDrawn ? kLanes : 1, boxes = tree.values / unit;
  const double margin = 30, left = 120, cell = std::clamp(640.0 / static_cast<double>(boxes), 2.5, 20.0), high = 20;
  const double wide = left + cell * static_cast<double>(boxes) + 130;
  const auto steps = static_cast<double>(tree.walks.front().steps.size());
  const double frame = 76 + steps * high;
  SvgPicture picture(std::max(wide, 680.0), 64 + frame * static_cast<double>(tree.walks.size()));
  picture.text(margin, 32, fmt::format("Tree of {} values", tree.values), {.size = 18, .bold = true});
  picture.text(margin, 52,
               unit == 1 ? "a box for each thread; dark: it adds; grey lines part warps"
                         : "a box for each warp; dark: all its lanes add, pale: some",
               {.size = 12, .fill = kPaleInk});
  double y = 72;
  for (const TreeWalk& walk : tree.walks) {
    picture.text(margin, y + 18, walk.addressing, {.size = 14, .bold = true});
    for (std::size_t i = 0; i < walk.steps.size(); ++i) {
      const double top = y + 32 + high * static_cast<double>(i);
      picture.text(margin, top + 14, fmt::format("step {}, s = {}", i + 1, walk.steps[i].stride));
      picture.box(left, top, cell * static_cast<double>(boxes), high - 4, kPanel, "#c5cedb");
      for (std::int64_t box = 0; box < boxes; ++box)
        if (const std::int64_t count = adding(walk.steps[i], box * unit, unit); count > 0)
          picture.box(left + cell * static_cast<double>(box), top, cell, high - 4, count == unit ? kAll : kSome,
                      cell > 4 ? "#c5cedb" : "none");
      picture.text(left + cell * static_cast<double>(boxes) + 10, top + 14,
                   fmt::format("{} warp{}", walk.steps[i].warps, walk.steps[i].warps == 1 ? "" : "s"),
                   {.fill = kPaleInk});
    }
    const double bottom = y + 32 + high * steps;
    for (std::int64_t box = kLanes; unit == 1 && box < boxes; box += kLanes)
      picture.line(left + cell * static_cast<double>(box), y + 30, left + cell * static_cast<double>(box), bottom,
                   kPaleInk, 0.8);
    picture.text(margin, bottom + 16, totals_text(walk), {.size = 12, .fill = kPaleInk});
    y += frame;
  }
  return picture.take();
}

}  // namespace tilescope
