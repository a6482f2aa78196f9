#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_study.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/sweep/merge.h"
#include "sim/studies/sweep/stored_json.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using sweep::Store;

constexpr std::size_t kMostListed = 20;

std::string described(const sweep::StoredPoint& point) {
  std::string text = fmt::format("{} {} {} {}", point.study, point.position, point.kernel, point.gpu);
  const auto parameters = sweep::stored_object(point.parameters);
  if (!parameters) return text + " (its parameters are damaged)";
  for (const auto& [name, value] : parameters->items())
    text += fmt::format(" {}={}", name, value.is_string() ? value.get<std::string>() : "?");
  return text;
}

std::string list_of_missing(const std::vector<sweep::MissingPoint>& all, bool failed) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [point, reason] : all) {
    if (reason.empty() == failed) continue;
    if (++count <= kMostListed) text += "  " + described(point) + (failed ? ": " + reason : "") + "\n";
  }
  if (count > kMostListed) text += fmt::format("  and {} more\n", count - kMostListed);
  return count == 0 ? "" : fmt::format("{} {}:\n{}", points_text(count), failed ? "failed" : "missing", text);
}

int run_sweep_merge(const Values& values, std::ostream& out) {
  const auto inputs =
      values.count("STORE") == 0 ? std::vector<std::string>{} : values["STORE"].as<std::vector<std::string>>();
  if (values.count("output") == 0) throw UsageError("sweep merge needs -o STORE", "see: tilescope sweep merge --help");
  if (inputs.empty()) throw UsageError("no STORE given; tilescope sweep merge -o STORE STORE...");
  const auto& path = values["output"].as<std::string>();
  std::optional<sweep::Plan> plan;
  if (values.count("study") != 0) plan = read_plan(values["study"].as<std::string>());
  std::vector<Store> stores;  // all opened before anything is written
  stores.reserve(inputs.size());
  for (const std::string& input : inputs) stores.emplace_back(input, Store::Access::existing);

  Store merged(path, Store::Access::create);
  if (plan) merged.set_points(stored_points(*plan));
  for (std::size_t i = 0; i < stores.size(); ++i) {
    std::error_code error;
    if (!std::filesystem::equivalent(inputs[i], path, error))
      merge_store(merged, stores[i], plan ? plan->study.name : "");
  }
  const std::vector<sweep::MissingPoint> lacking = missing_or_failed(merged);
  out << fmt::format("{}: {} from {} store{}, {} missing or failed\n", path, points_text(merged.points().size()),
                     inputs.size(), inputs.size() == 1 ? "" : "s", lacking.size());
  out << list_of_missing(lacking, false) << list_of_missing(lacking, true);
  return lacking.empty() ? ok : work_failed;
}

}  // namespace

Command sweep_merge_command() {
  Command command;
  command.name = "sweep merge";
  command.summary = "Bring the stores of several shards or machines together";
  command.usage = "sweep merge -o STORE STORE... [options]";
  command.details =
      "May be repeated: what is there already stays. Lists the points that no store has and those that failed; exit\n"
      "code 1 when there are any. --study takes the points from the study's file instead of from the stores.";
  command.examples =
      "tilescope sweep merge -o tiles.db shard-1.db shard-2.db shard-3.db\n"
      "tilescope sweep merge -o tiles.db shard-*.db --study configs/studies/tile_raster.yaml";
  command.declare = [](CommandLine& line) {
    line.words = {"STORE"};
    line.many = true;
    line.options.add_options()("output,o", po::value<std::string>()->value_name("STORE"),
                               "the store to add to, made when missing");
    line.options.add_options()("study", po::value<std::string>()->value_name("STUDY.yaml"),
                               "the study whose points are wanted");
  };
  command.run = run_sweep_merge;
  return command;
}

}  // namespace tilescope::cli
