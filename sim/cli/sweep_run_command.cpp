#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "sim/cli/parse.h"
#include "sim/cli/stop_request.h"
#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_progress.h"
#include "sim/cli/sweep_study.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/sweep/estimate.h"
#include "sim/studies/sweep/plan_run.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using sweep::Plan;
using sweep::RunTally;
using sweep::Store;

int jobs_from(const Values& values) {
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostJobs);
  return static_cast<int>(whole_number(values, "jobs", cores, {1, kMostJobs}));
}

std::string with_plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

int dry_run(const Plan& plan, const std::string& path, const Values& values, std::ostream& out) {
  const sweep::Shard shard = shard_from(values);
  const int jobs = jobs_from(values);
  const bool retry = values.count("retry-failed") != 0;
  std::optional<Store> store;
  if (std::filesystem::exists(path)) store.emplace(path, Store::Access::existing);
  std::vector<std::size_t> missing;
  std::size_t points = 0;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!shard.has(i)) continue;
    ++points;
    if (!store) missing.push_back(i);
  }
  if (store) missing = missing_points(plan, *store, shard, retry);
  out << fmt::format("{}: {}", plan.study.name, points_text(points));
  if (shard.of > 1) out << fmt::format(" of {} in shard {}/{}", plan.points.size(), shard.number, shard.of);
  out << fmt::format("; {} stored in {}, {} to compute\n", points - missing.size(), path, missing.size());
  if (missing.empty()) return ok;
  const sweep::Estimate work = estimate_work(plan, store ? &*store : nullptr, missing);
  const double used = std::min(static_cast<double>(jobs), static_cast<double>(missing.size()));
  out << fmt::format("estimated time: {}{} with {}", work.at_least ? "at least " : "about ",
                     duration_text(work.seconds / used), with_plural(static_cast<std::size_t>(jobs), "worker"));
  if (work.at_least)
    out << " (no point was done within 4 s)\n";
  else
    out << fmt::format(" (from {} {})\n", points_text(work.points), work.timed ? "timed just now" : "in the store");
  return ok;
}

std::string summary(const Plan& plan, const RunTally& tally, const sweep::Shard& shard, const std::string& path) {
  std::string text = plan.study.name + ": " + points_text(tally.points);
  if (shard.of > 1) text += fmt::format(" in shard {}/{}", shard.number, shard.of);
  text += fmt::format(", {} stored before, {} computed in {}", tally.stored, tally.done, duration_text(tally.seconds));
  if (tally.failed > 0) text += fmt::format(", {} failed", tally.failed);
  text += " -> " + path + "\n";
  if (tally.failed > 0)
    text +=
        fmt::format("see: tilescope sweep show {} --where \"status == 'failed'\" --columns kernel,gpu,reason\n", path);
  if (tally.stopped) text += fmt::format("stopped with {} left; the same command goes on\n", tally.to_do - tally.done);
  return text;
}

int run_sweep_run(const Values& values, std::ostream& out) {
  const Plan plan = read_plan(values["STUDY"].as<std::string>());
  const std::string path = values.count("output") != 0 ? values["output"].as<std::string>() : plan.study.name + ".db";
  if (values.count("dry-run") != 0) return dry_run(plan, path, values, out);

  sweep::RunSettings settings;
  settings.jobs = jobs_from(values);
  settings.shard = shard_from(values);
  settings.retry_failed = values.count("retry-failed") != 0;
  Store store(path, Store::Access::create);
  RunTally tally;
  const StopRequest stop;
  {
    SweepProgress progress(plan.study.name);
    settings.stop = &stop.signal_number();
    settings.on_progress = [&progress](const RunTally& now) { progress.show(now); };
    tally = run_plan(plan, store, settings);
  }
  out << summary(plan, tally, settings.shard, path);
  if (tally.stopped) return 128 + stop.signal_number();
  return tally.failed > 0 ? work_failed : ok;
}

}  // namespace

Command sweep_run_command() {
  Command command;
  command.name = "sweep run";
  command.summary = "Run a study: many points over kernels, parameters and GPUs";
  command.usage = "sweep [run] STUDY.yaml [options]";
  command.details =
      "STUDY.yaml lists kernels, GPUs, and values of their parameters; docs/sweep.md describes it. Results go to a\n"
      "store, one row per point. A rerun computes only what is new; a stopped or killed one goes on where it was.\n"
      "Exit code 1 when some points failed: the store has their reasons.";
  command.examples =
      "tilescope sweep configs/studies/tile_raster.yaml --dry-run\n"
      "tilescope sweep configs/studies/tile_raster.yaml --jobs 8 -o tiles.db\n"
      "tilescope sweep run study.yaml --shard 2/4 -o shard-2.db\n"
      "tilescope sweep show tiles.db --best tflops";
  command.declare = [](CommandLine& line) {
    line.words = {"STUDY"};
    line.options.add_options()(
        "jobs", po::value<std::string>()->value_name("N"),
        "points side by side, as many as the machine has cores unless given; results are the same");
    line.options.add_options()("shard", po::value<std::string>()->value_name("I/N"),
                               "only every N-th point, from the I-th on");
    line.options.add_options()("output,o", po::value<std::string>()->value_name("STORE"),
                               "the store, made when missing; NAME.db of the study's name unless given");
    line.options.add_options()("retry-failed", "compute points again that failed before");
    line.options.add_options()("dry-run", "only say how many points there are and how long they will take");
  };
  command.run = run_sweep_run;
  return command;
}

}  // namespace tilescope::cli
