#include "sim/results/views/result_csv.h"

#include <fmt/format.h>

#include "sim/results/views/csv_field.h"

namespace tilescope {
std::string result_csv(const std::vector<LabelledResult>& results) {
  const bool several = results.size() != 1;
  std::string text = several ? "kernel,metric,value,unit\n" : "metric,value,unit\n";
  for (const auto& [label, result] : results) {
    const std::string begin = several ? csv_field(label) + "," : "";
    for (const auto& [metric, value] : result.metrics)
      text += fmt::format("{}{},{},{}\n", begin, metric->name,
                          metric->whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value), metric->unit);
    for (const DerivedField& derived : derived_fields()) {
      const std::optional<double>& value = result.derived.*derived.value;
      if (value) text += fmt::format("{}derived.{},{},{}\n", begin, derived.name, *value, derived.unit);
    }
    for (const Utilisation& one : result.utilisation)
      text += fmt::format("{}derived.utilisation_pct.{},{},%\n", begin, one.name, one.percent);
    text += fmt::format("{}derived.occupancy_limiter,{},\n", begin, csv_field(result.occupancy_limiter));
    if (result.bottleneck) text += fmt::format("{}derived.bottleneck,{},\n", begin, csv_field(result.bottleneck->name));
  }
  return text;
}

}  // namespace tilescope
