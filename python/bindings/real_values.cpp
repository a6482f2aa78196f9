#include "python/bindings/answers.h"
#include "sim/results/derived.h"
#include "sim/results/metrics.h"

namespace tilescope::python {

std::vector<std::string> real_values() {
  std::vector<std::string> names{"sampled_fraction", "cycles_error_pct", "traffic_error_pct"};
  for (const Metric& metric : metrics())
    if (!metric.whole) names.push_back(metric.name);
  for (const DerivedField& field : derived_fields()) names.emplace_back(field.name);
  return names;
}

}  // namespace tilescope::python
