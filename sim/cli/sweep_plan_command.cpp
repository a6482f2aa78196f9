#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/support/content_hash.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_study.h"
#include "sim/studies/sweep/plan.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using sweep::Plan;

std::string point_line(const Plan& plan, std::size_t index) {
  const sweep::PlannedPoint& point = plan.points[index];
  std::string line = fmt::format("{}\t{}\t{}\t{}\t", index + 1, point.key, plan.study.kernels[point.kernel].label,
                                 plan.study.gpus[plan.variants[point.variant].gpu].label);
  for (std::size_t i = 0; i < point.parameters.size(); ++i)
    line += fmt::format("{}{}={}", i == 0 ? "" : " ", point.parameters[i].first, point.parameters[i].second);
  return line + "\n";
}

std::string shard_line(const Plan& plan, const sweep::Shard& shard) {
  ContentHash key;
  std::size_t points = 0;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!shard.has(i)) continue;
    ++points;
    key.add(plan.points[i].key);
  }
  return fmt::format("{}/{}\t{}\t{}\n", shard.number, shard.of, key.text(), points);
}

int run_sweep_plan(const Values& values, std::ostream& out) {
  const auto shards = static_cast<int>(whole_number(values, "shards", 0, {1, kMostShards}));
  const Plan plan = read_plan(values["STUDY"].as<std::string>());
  with_output(values, out, [&](std::ostream& stream) {
    for (std::size_t i = 0; i < plan.points.size() && shards == 0; ++i) stream << point_line(plan, i);
    for (int i = 1; i <= shards; ++i)
      stream << shard_line(plan, {static_cast<std::size_t>(i), static_cast<std::size_t>(shards)});
  });
  return ok;
}

}  // namespace

Command sweep_plan_command() {
  Command command;
  command.name = "sweep plan";
  command.summary = "List a study's points, or its shards, for an engine that runs them";
  command.usage = "sweep plan STUDY.yaml [options]";
  command.details =
      "One line per point, columns separated by tabs: number, key of the result, kernel, GPU, parameters. With "
      "--shards\n"
      "one line per shard: I/N as `sweep run --shard` takes it, a key of all its results, number of points.";
  command.examples =
      "tilescope sweep plan study.yaml | head\n"
      "tilescope sweep plan study.yaml --shards 4 | cut -f1 | \\\n"
      "  xargs -P 4 -I{} sh -c 'tilescope sweep run study.yaml --shard {} -o shard-$(dirname {}).db'";
  command.declare = [](CommandLine& line) {
    line.words = {"STUDY"};
    line.options.add_options()("shards", po::value<std::string>()->value_name("N"), "list N shards, not points");
    add_output_option(line.options);
  };
  command.run = run_sweep_plan;
  return command;
}

}  // namespace tilescope::cli
