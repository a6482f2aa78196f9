#include "sim/studies/compare/case_runs.h"

#include <map>
#include <stdexcept>

#include "sim/studies/batch.h"

namespace tilescope {
namespace {

std::unique_ptr<Kernel> kernel_of(const MappedKernel& mapped) {
  auto kernel = make_kernel(mapped);
  if (!kernel) throw std::logic_error("a matched row whose kernel can not be made: " + kernel.error());
  return std::move(*kernel);
}

CaseRun run_kernel(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options) {
  const auto problems = launch_problems(gpu, cta_resources(kernel.launch()));
  if (!problems.empty()) return {std::nullopt, "can not be launched on " + gpu.name + ": " + problems.front()};
  return {make_result(gpu, kernel.launch(), options, simulate(gpu, kernel, options)), ""};
}

// Of a bundle: what is wrong with one launch is no reason not to compare the others.
CaseRun run_recorded(const GpuSpec& gpu, const MappedKernel& mapped, const RunOptions& options) {
  const auto kernel = make_kernel(mapped);
  if (!kernel) return {std::nullopt, kernel.error()};
  try {
    return run_kernel(gpu, **kernel, options);
  } catch (const DiagnosticsError& error) {
    return {std::nullopt, "its execution: " + error.diagnostics().front().message};
  } catch (const std::exception& error) {
    return {std::nullopt, std::string("its execution: ") + error.what()};
  }
}

CaseRun run_one(const GpuSpec& gpu, const MatchedRow& row, const RunOptions& options) {
  if (!row.program.empty()) return run_recorded(gpu, row.mapped, options);
  return run_kernel(gpu, *kernel_of(row.mapped), options);
}

}  // namespace

double warp_instructions(const MatchedRow& row) {
  if (const auto measured = row.measured.metric("smsp__inst_executed.sum")) return *measured;
  if (!row.program.empty()) return 0;  // may be refused
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

  BatchOptions batch;
  batch.threads = options.threads;
  for (const MatchedRow* row : distinct) batch.work.push_back(warp_instructions(*row) + 1);
  if (options.on_progress) batch.on_progress = [&](const BatchProgress& now) { options.on_progress({now.fraction}); };
  const auto simulate_one = [&](const BatchCase& one) {
    RunOptions own = options;
    own.threads = 1;
    own.on_progress = [&one](const Progress& p) { one.at(p.fraction); };
    all.runs[one.number()] = run_one(gpu, *distinct[one.number()], own);
  };
  run_batch(distinct.size(), simulate_one, batch).rethrow_first();
  return all;
}

}  // namespace tilescope
