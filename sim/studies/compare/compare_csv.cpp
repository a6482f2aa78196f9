#include <fmt/format.h>

#include "sim/results/views/csv_field.h"
#include "sim/studies/compare/compare_view.h"

namespace tilescope {

std::string compare_csv(const Comparison& comparison) {
  std::string text = "file,line,case,family,metric,unit,predicted,measured,error,error_unit\n";
  for (const ComparedCase& one : comparison.cases) {
    const std::string begin = fmt::format("{},{},{},{},", csv_field(one.measured.file), one.measured.line,
                                          csv_field(one.label), one.mapped.kernel);
    for (const ComparedValue& value : one.values) {
      const ComparedMetric& metric = *comparison.metrics[value.metric].metric;
      const PredictionError& error = value.error;
      text += fmt::format("{}{},{},{},{},{},{}\n", begin, metric.name, metric.unit, error.predicted, error.measured,
                          error.error ? fmt::format("{:.6g}", *error.error) : "", error_unit(metric));
    }
    for (const StallPair& stall : one.stalls)
      text += fmt::format("{}smsp__average_warps_issue_stalled_{}_per_issue_active.ratio,ratio,{},{},,\n", begin,
                          stall.reason, stall.predicted ? fmt::format("{:.6g}", *stall.predicted) : "",
                          stall.measured ? fmt::format("{}", *stall.measured) : "");
  }
  return text;
}

}  // namespace tilescope
