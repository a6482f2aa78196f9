#include "sim/studies/bundle/bundle_totals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "traces/sass/kernel_name.h"

namespace tilescope {
namespace {

void add(KernelTotal& total, std::uint64_t calls, const std::vector<LaunchRun>& by_gpu) {
  total.launches += 1;
  total.calls += calls;
  total.amount.resize(by_gpu.size());
  for (std::size_t i = 0; i < by_gpu.size(); ++i) total.amount[i] += static_cast<double>(calls) * amount_of(by_gpu[i]);
}

}  // namespace

double amount_of(const LaunchRun& run) {
  return run.result->metric(run.result->mode == Mode::timing ? "gpu__time_duration.sum" : "smsp__inst_executed.sum")
      .value_or(0);
}

BundleTotals totals_of(const BundleRun& run) {
  BundleTotals totals;
  totals.program.amount.resize(run.gpus.size());
  std::map<std::string, std::size_t> kernels;
  std::map<std::pair<LaunchRun::End, std::string>, ProblemTotal> problems;
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    const bundle::BundleLaunch& launch = run.bundle.launches[run.launches[i]];
    const auto bad = std::find_if(run.runs[i].begin(), run.runs[i].end(),
                                  [](const LaunchRun& one) { return one.end != LaunchRun::End::done; });
    if (bad != run.runs[i].end()) {
      ProblemTotal& total = problems[{bad->end, bad->kind}];
      total.end = bad->end;
      total.kind = bad->kind;
      total.launches += 1;
      total.calls += launch.calls;
      total.ids.push_back(launch.id);
      continue;
    }
    const std::string name = sass::base_name(launch.kernel);
    const auto place = kernels.emplace(name, totals.kernels.size()).first;
    if (place->second == totals.kernels.size()) totals.kernels.push_back({name, 0, 0, {}});
    add(totals.kernels[place->second], launch.calls, run.runs[i]);
    add(totals.program, launch.calls, run.runs[i]);
  }
  std::stable_sort(totals.kernels.begin(), totals.kernels.end(),
                   [](const KernelTotal& a, const KernelTotal& b) { return a.amount.front() > b.amount.front(); });
  for (auto& [key, total] : problems) totals.problems.push_back(std::move(total));
  std::stable_sort(totals.problems.begin(), totals.problems.end(),
                   [](const ProblemTotal& a, const ProblemTotal& b) { return a.launches > b.launches; });
  return totals;
}

}  // namespace tilescope
