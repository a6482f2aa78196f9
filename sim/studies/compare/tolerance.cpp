#include "sim/studies/compare/tolerance.h"

#include <fmt/format.h>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/studies/measured/measured_number.h"

namespace tilescope {
namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const ComparedMetric& metric : compared_metrics()) names.push_back(metric.name);
  return names;
}

}  // namespace

tl::expected<Tolerance, std::string> parse_tolerance(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string metric = equals == std::string::npos ? "" : text.substr(0, equals);
  const std::string limit = equals == std::string::npos ? text : text.substr(equals + 1);
  const auto value = limit.ends_with('%') ? measured_number(limit.substr(0, limit.size() - 1)) : std::nullopt;
  if (!value || *value < 0 || equals == 0)
    return tl::unexpected("got " + in_quotes(text) + "; must be a percentage such as 5%, or METRIC=5%");
  if (!metric.empty() && find_compared_metric(metric) == nullptr)
    return tl::unexpected("unknown metric " + in_quotes(metric) + did_you_mean(metric, known_names()) +
                          "; must be one of: tilescope list metrics");
  return Tolerance{metric, *value};
}

tl::expected<std::vector<Judgement>, std::string> judge(const Comparison& comparison,
                                                        const std::vector<Tolerance>& tolerances) {
  std::vector<Judgement> judgements;
  for (const Tolerance& tolerance : tolerances) {
    const std::size_t before = judgements.size();
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
      const std::string& name = comparison.metrics[i].metric->name;
      const bool is_time = name == "gpc__cycles_elapsed.max" || name == "gpu__time_duration.sum";
      if (tolerance.metric.empty() ? !is_time : name != tolerance.metric) continue;
      const ErrorStatistics& statistics = comparison.metrics[i].statistics;
      judgements.push_back({i, tolerance.limit, statistics.undefined == 0 && statistics.mean <= tolerance.limit});
    }
    if (judgements.size() == before)
      return tl::unexpected(fmt::format("no case has {} both predicted and measured, so nothing can be judged",
                                        tolerance.metric.empty() ? "cycles or time" : tolerance.metric));
  }
  return judgements;
}

}  // namespace tilescope
