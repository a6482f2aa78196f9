#include "sim/studies/sweep/point_run.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>

#include "sim/results/result.h"
#include "sim/results/version.h"
#include "sim/results/views/result_json.h"
#include "sim/studies/sweep/relaunched_kernel.h"
#include "traces/open_kernel.h"

namespace tilescope::sweep {
namespace {

std::shared_ptr<const Kernel> kernel_of(const StudyKernel& kernel, const PlannedPoint& point) {
  ParameterTexts own;
  bool relaunched = false;
  for (const auto& [name, value] : point.given) {
    const bool of_launch = name.starts_with("launch.");
    relaunched = relaunched || of_launch;
    if (!of_launch) own[name] = value;
  }
  std::shared_ptr<const Kernel> made = kernel.opened;
  if (made == nullptr) {
    auto built = open_kernel(kernel.label, own);
    if (!built) throw std::invalid_argument(joined_messages(built.error()));
    made = std::move(*built);
  }
  if (relaunched) made = std::make_shared<RelaunchedKernel>(made, point.given);
  return made;
}

std::string simulated(const Plan& plan, const PlannedPoint& point, TrafficMemo* memo, const PointProgress& progress) {
  const GpuVariant& gpu = plan.variants[point.variant];
  if (!gpu.spec) throw std::invalid_argument(gpu.problem);
  const auto kernel = kernel_of(plan.study.kernels[point.kernel], point);
  RunOptions options;
  options.mode = plan.study.mode;
  options.sample = plan.study.sample;
  options.cache_control = plan.study.cache_control;
  options.memo = memo;
  options.on_progress = [&progress](const Progress& p) { progress(p.fraction); };
  const RunOutcome outcome = simulate(*gpu.spec, *kernel, options);
  return result_json(make_result(*gpu.spec, kernel->launch(), options, outcome))
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

StoredResult run_point(const Plan& plan, const PlannedPoint& point, TrafficMemo* memo, const PointProgress& progress) {
  const auto began = std::chrono::steady_clock::now();
  StoredResult result;
  result.key = point.key;
  result.version = fmt::format("{}+{}", version(), source_hash());
  try {
    result.result = simulated(plan, point, memo, progress);
  } catch (const std::bad_alloc&) {
    result.ok = false;
    result.reason = "out of memory";
  } catch (const std::exception& error) {
    result.ok = false;
    result.reason = error.what();
  }
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace tilescope::sweep
