#include "sim/studies/compare/case_runs.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "sim/engine/window_engine.h"
#include "sim/engine/worker_pool.h"

namespace tilescope {
namespace {

std::unique_ptr<Kernel> kernel_of(const MappedKernel& mapped) {
  auto kernel = make_kernel(mapped);
  if (!kernel) throw std::logic_error("a matched row whose kernel can not be made: " + kernel.error());
  return std::move(*kernel);
}

// The progress of several simulations as one, weighted by their work.
class SharedProgress {
 public:
  SharedProgress(std::vector<double> work, const std::function<void(const Progress&)>& report)
      : work_(std::move(work)),
        done_(work_.size(), 0.0),
        all_(std::accumulate(work_.begin(), work_.end(), 0.0)),
        report_(report) {}

  void show(std::size_t which, double fraction) {
    if (!report_) return;
    const std::scoped_lock lock(mutex_);
    done_[which] = fraction;
    report_({std::inner_product(work_.begin(), work_.end(), done_.begin(), 0.0) / all_});
  }

 private:
  std::vector<double> work_, done_;
  double all_;
  const std::function<void(const Progress&)>& report_;
  std::mutex mutex_;
};

CaseRun run_one(const GpuSpec& gpu, const MatchedRow& row, const RunOptions& options) {
  const auto kernel = kernel_of(row.mapped);
  const auto problems = launch_problems(gpu, cta_resources(kernel->launch()));
  if (!problems.empty()) return {std::nullopt, "can not be launched on " + gpu.name + ": " + problems.front()};
  return {make_result(gpu, kernel->launch(), options, simulate(gpu, *kernel, options)), ""};
}

}  // namespace

double warp_instructions(const MatchedRow& row) {
  if (const auto measured = row.measured.metric("smsp__inst_executed.sum")) return *measured;
  const auto kernel = kernel_of(row.mapped);
  return static_cast<double>(instructions_of_cta(*kernel, 0)) * static_cast<double>(kernel->launch().grid.count());
}

CaseRuns run_cases(const GpuSpec& gpu, const std::vector<MatchedRow>& rows, const RunOptions& options) {
  CaseRuns all;
  std::map<MappedKernel, std::size_t> known;
  std::vector<const MatchedRow*> distinct;
  for (const MatchedRow& row : rows) {
    const auto [place, is_new] = known.emplace(row.mapped, distinct.size());
    if (is_new) distinct.push_back(&row);
    all.of_row.push_back(place->second);
  }
  all.runs.resize(distinct.size());

  std::vector<double> work(distinct.size());
  std::transform(distinct.begin(), distinct.end(), work.begin(),
                 [](const auto* row) { return warp_instructions(*row) + 1; });
  std::vector<std::size_t> order(distinct.size());  // the longest first, so that none is left alone at the end
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });

  SharedProgress progress(work, options.on_progress);
  std::atomic<std::size_t> next = 0;
  const int workers = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(std::max(1, options.threads)),
                                                             std::max<std::size_t>(1, order.size())));
  WorkerPool(workers).run([&](int) {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const std::size_t which = order[i];
      RunOptions own = options;
      own.threads = 1;
      own.on_progress = [&progress, which](const Progress& p) { progress.show(which, p.fraction); };
      try {
        all.runs[which] = run_one(gpu, *distinct[which], own);
      } catch (...) {
        next = order.size();  // nothing more to begin
        throw;
      }
      progress.show(which, 1);
    }
  });
  return all;
}

}  // namespace tilescope
