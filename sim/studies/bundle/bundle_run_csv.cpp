#include <fmt/format.h>

#include "sim/results/views/csv_field.h"
#include "sim/studies/bundle/bundle_run_view.h"
#include "traces/sass/function_choice.h"

namespace tilescope {
namespace {

// What any launch of the run has a value for: one column each.
std::vector<const Metric*> columns_of(const BundleRun& run) {
  std::vector<const Metric*> columns;
  for (const auto& by_gpu : run.runs)
    for (const LaunchRun& one : by_gpu) {
      if (!one.result || !columns.empty()) continue;
      for (const MetricValue& value : one.result->metrics) columns.push_back(value.metric);
    }
  return columns;
}

std::string dimensions(const Dim3& size) { return fmt::format("\"({}, {}, {})\"", size.x, size.y, size.z); }

}  // namespace

std::string bundle_run_csv(const BundleRun& run) {
  const auto columns = columns_of(run);
  std::string text = "id,kernel,symbol,grid,block,calls,gpu,end,reason,bottleneck";
  for (const Metric* metric : columns) text += fmt::format(",{}", metric->name);
  for (const DerivedField& derived : derived_fields()) text += fmt::format(",derived.{}", derived.name);
  text += "\n";
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    const bundle::BundleLaunch& launch = run.bundle.launches[run.launches[i]];
    for (std::size_t gpu = 0; gpu < run.gpus.size(); ++gpu) {
      const LaunchRun& one = run.runs[i][gpu];
      const char* end = one.result ? "done" : one.end == LaunchRun::End::refused ? "refused" : "failed";
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}", launch.id, csv_field(sass::readable_name(launch.kernel)),
                          csv_field(launch.kernel), dimensions(launch.grid), dimensions(launch.block), launch.calls,
                          csv_field(run.gpus[gpu]), end, csv_field(one.reason),
                          one.result && one.result->bottleneck ? csv_field(one.result->bottleneck->name) : "");
      for (const Metric* metric : columns) {
        const auto value = one.result ? one.result->metric(metric->name) : std::nullopt;
        text += !value ? "," : metric->whole ? fmt::format(",{:.0f}", *value) : fmt::format(",{}", *value);
      }
      for (const DerivedField& derived : derived_fields()) {
        const auto value = one.result ? one.result->derived.*derived.value : std::nullopt;
        text += value ? fmt::format(",{}", *value) : ",";
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace tilescope
