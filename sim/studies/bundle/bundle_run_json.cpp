#include <nlohmann/json.hpp>

#include "sim/results/views/result_json.h"
#include "sim/studies/bundle/bundle_run_view.h"
#include "sim/studies/bundle/bundle_totals.h"
#include "traces/sass/function_choice.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;

const char* end_name(LaunchRun::End end) {
  return end == LaunchRun::End::done ? "done" : end == LaunchRun::End::refused ? "refused" : "failed";
}

Json total_json(const BundleRun& run, const KernelTotal& total) {
  Json json = {{"launches", total.launches}, {"calls", total.calls}};
  const char* what = run.options.mode == Mode::timing ? "time_ns" : "warp_instructions";
  json[what] = total.amount;  // by GPU
  return json;
}

}  // namespace

std::string bundle_run_json(const BundleRun& run) {
  const auto& facts = run.bundle.facts;
  Json json = {{"schema", "tilescope.bundle_run/1"},
               {"bundle", run.bundle.folder},
               {"program", facts.program},
               {"recorded_on", facts.gpu},
               {"gpus", run.gpus},
               {"launches", Json::array()}};
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    const bundle::BundleLaunch& launch = run.bundle.launches[run.launches[i]];
    Json one = {{"id", launch.id},
                {"kernel", sass::readable_name(launch.kernel)},
                {"symbol", launch.kernel},
                {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                {"block", {launch.block.x, launch.block.y, launch.block.z}},
                {"calls", launch.calls},
                {"runs", Json::array()}};
    for (std::size_t gpu = 0; gpu < run.gpus.size(); ++gpu) {
      const LaunchRun& ran = run.runs[i][gpu];
      Json entry = {{"gpu", run.gpus[gpu]}, {"end", end_name(ran.end)}};
      if (ran.result)
        entry["result"] = result_json(*ran.result);
      else
        entry["reason"] = ran.reason;
      one["runs"].push_back(std::move(entry));
    }
    json["launches"].push_back(std::move(one));
  }
  const BundleTotals totals = totals_of(run);
  json["totals"] = total_json(run, totals.program);
  json["kernels"] = Json::array();
  for (const KernelTotal& total : totals.kernels) {
    Json one = {{"kernel", total.kernel}};
    one.update(total_json(run, total));
    json["kernels"].push_back(std::move(one));
  }
  json["not_simulated"] = Json::array();
  for (const ProblemTotal& problem : totals.problems)
    json["not_simulated"].push_back({{"end", end_name(problem.end)},
                                     {"reason", problem.kind},
                                     {"launches", problem.launches},
                                     {"calls", problem.calls},
                                     {"ids", problem.ids}});
  json["not_stored"] = Json::array();
  for (std::size_t i = 0; i < run.bundle.order.size(); ++i)
    if (const auto& one = run.bundle.order[i]; !one.launch)
      json["not_stored"].push_back({{"order", i + 1}, {"kernel", one.kernel}, {"reason", one.refused}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilescope
