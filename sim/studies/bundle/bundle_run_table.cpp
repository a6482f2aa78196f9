#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/number_text.h"
#include "sim/studies/bundle/bundle_run_view.h"
#include "sim/studies/bundle/bundle_totals.h"
#include "traces/sass/kernel_name.h"

namespace tilescope {
namespace {

using Lines = std::vector<std::vector<std::string>>;

constexpr std::size_t kLongestName = 48;
constexpr std::size_t kMostIds = 8;

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(static_cast<double>(count)), count == 1 ? one : many);
}

std::string time_text(double ns) {
  constexpr double kThousand = 1e3, kMillion = 1e6, kBillion = 1e9;
  if (ns < kMillion) return fmt::format("{:.4g} us", ns / kThousand);
  return ns < kBillion ? fmt::format("{:.4g} ms", ns / kMillion) : fmt::format("{:.4g} s", ns / kBillion);
}

std::string amount_text(const BundleRun& run, double amount) {
  return run.options.mode == Mode::timing ? time_text(amount) : grouped(std::round(amount));
}

std::string share_text(double amount, double all) { return all > 0 ? fmt::format("{:.1f} %", 100 * amount / all) : ""; }

// "time", or a column for each GPU.
void add_heads(const BundleRun& run, std::vector<std::string>& line) {
  const std::string what = run.options.mode == Mode::timing ? "time" : "instructions";
  for (const std::string& gpu : run.gpus) line.push_back(run.gpus.size() == 1 ? what : gpu);
  line.emplace_back("share");
}

void add_amounts(const BundleRun& run, const std::vector<double>& amounts, double all, std::vector<std::string>& line) {
  for (const double amount : amounts) line.push_back(amount_text(run, amount));
  line.push_back(share_text(amounts.front(), all));
}

std::string heading(const BundleRun& run) {
  const auto& facts = run.bundle.facts;
  std::uint64_t calls = 0;
  for (const std::size_t launch : run.launches) calls += run.bundle.launches[launch].calls;
  std::string text = facts.program.empty() ? run.bundle.folder : fmt::format("{}", fmt::join(facts.program, " "));
  if (!facts.gpu.empty()) text += ", recorded on " + facts.gpu;
  text +=
      fmt::format(": {}, {}\n", counted(run.launches.size(), "launch", "launches"), counted(calls, "call", "calls"));
  const RunOptions& options = run.options;
  text += fmt::format("{}, {}\n", fmt::join(run.gpus, ", "),
                      options.mode == Mode::counts    ? "counts"
                      : options.sample == Sample::off ? "timing in full"
                                                      : "timing by sample");
  return text;
}

std::string launch_rows(const BundleRun& run, const BundleTotals& totals) {
  const bool alone = run.gpus.size() == 1 && run.options.mode == Mode::timing;
  Lines lines = {{"launch", "id", "grid", "block", "calls"}};
  add_heads(run, lines.front());
  if (alone) lines.front().insert(lines.front().end(), {"cycles", "bottleneck"});
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    const bundle::BundleLaunch& launch = run.bundle.launches[run.launches[i]];
    std::vector<std::string> line = {sass::shortened_name(launch.kernel, kLongestName), std::to_string(launch.id),
                                     grouped(static_cast<double>(launch.grid.count())),
                                     std::to_string(launch.block.count()), std::to_string(launch.calls)};
    bool whole = true;
    for (const LaunchRun& one : run.runs[i]) {
      whole = whole && one.end == LaunchRun::End::done;
      line.push_back(one.end == LaunchRun::End::done      ? amount_text(run, amount_of(one))
                     : one.end == LaunchRun::End::refused ? "refused"
                                                          : "failed");
    }
    if (whole) {
      line.push_back(share_text(static_cast<double>(launch.calls) * amount_of(run.runs[i].front()),
                                totals.program.amount.front()));
      if (alone) {
        const Result& result = *run.runs[i].front().result;
        line.push_back(grouped(result.metric("gpc__cycles_elapsed.max").value_or(0)));
        line.push_back(result.bottleneck ? result.bottleneck->name : "");
      }
    }
    lines.push_back(std::move(line));
  }
  return aligned_columns(lines);
}

std::string kernel_rows(const BundleRun& run, const BundleTotals& totals) {
  Lines lines = {{"kernel", "launches", "calls"}};
  add_heads(run, lines.front());
  const double all = totals.program.amount.front();
  const auto add = [&](const std::string& name, const KernelTotal& total) {
    lines.push_back({name, std::to_string(total.launches), std::to_string(total.calls)});
    add_amounts(run, total.amount, all, lines.back());
  };
  for (const KernelTotal& total : totals.kernels) add(sass::shortened_name(total.kernel, kLongestName), total);
  add("all that was simulated", totals.program);
  return aligned_columns(lines);
}

std::string problem_rows(const BundleTotals& totals) {
  if (totals.problems.empty()) return "";
  std::size_t launches = 0;
  std::uint64_t calls = 0;
  std::string text;
  for (const ProblemTotal& problem : totals.problems) {
    launches += problem.launches;
    calls += problem.calls;
    std::string ids;
    for (std::size_t i = 0; i < std::min(problem.ids.size(), kMostIds); ++i)
      ids += fmt::format("{}{}", i == 0 ? "" : ", ", problem.ids[i]);
    if (problem.ids.size() > kMostIds) ids += ", ...";
    text += fmt::format("  {} ({}) {}: {}\n    ids {}\n", counted(problem.launches, "launch", "launches"),
                        counted(problem.calls, "call", "calls"),
                        problem.end == LaunchRun::End::refused ? "refused" : "failed", problem.kind, ids);
  }
  return fmt::format("\nnot simulated: {}, {}\n", counted(launches, "launch", "launches"),
                     counted(calls, "call", "calls")) +
         text;
}

// What the recorder could not store.
std::string missing_rows(const BundleRun& run) {
  std::size_t missing = 0;
  for (const auto& one : run.bundle.order) missing += one.launch ? 0 : 1;
  return missing == 0 ? ""
                      : fmt::format("\nnot in the bundle: {} that the recorder could not store\n",
                                    counted(missing, "launch", "launches"));
}

}  // namespace

std::string bundle_run_table(const BundleRun& run) {
  const BundleTotals totals = totals_of(run);
  return heading(run) + "\n" + launch_rows(run, totals) + "\n" + kernel_rows(run, totals) + problem_rows(totals) +
         missing_rows(run);
}

}  // namespace tilescope
