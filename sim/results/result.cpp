#include "sim/results/result.h"

#include <stdexcept>

#include "models/support/spec_hash.h"
#include "sim/results/version.h"

namespace tilescope {

std::optional<double> Result::metric(std::string_view name) const {
  for (const MetricValue& entry : metrics)
    if (entry.metric->name == name) return entry.value;
  if (find_metric(name) == nullptr) throw std::out_of_range("no metric " + std::string(name));
  return std::nullopt;
}

Result make_result(const GpuSpec& gpu, const Launch& launch, const RunOptions& options, const RunOutcome& outcome) {
  const MetricSource source{gpu, launch, outcome};
  Result result;
  result.launch = launch;
  result.gpu = gpu.name;
  result.mode = options.mode;
  for (const Metric& metric : metrics())
    if (options.mode == Mode::timing || !metric.needs_time) result.metrics.push_back({&metric, metric.value(source)});
  result.derived = derive(source, options.mode);
  result.approximations = outcome.approximations;
  result.uses_warpgroups = executed(source, OpClass::group_tensor) > 0;
  result.occupancy_limiter = outcome.occupancy.limiter;
  if (options.mode == Mode::timing) {
    result.utilisation = utilisations(source);
    result.bottleneck = bottleneck(source, result.utilisation);
  }
  result.provenance = {version(),
                       config_hash_text(spec_tree(gpu)),
                       options.sample,
                       options.cache_control,
                       outcome.sampled_fraction,
                       outcome.cycles_error_pct,
                       outcome.cycles_low,
                       outcome.cycles_high,
                       outcome.traffic_error_pct,
                       std::nullopt};
  return result;
}

}  // namespace tilescope
