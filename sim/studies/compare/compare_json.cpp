#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/studies/compare/compare_view.h"
#include "sim/studies/compare/error_groups.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  constexpr double kLargestWhole = 9007199254740992.0;  // beyond 2^53 not every whole number is a double
  if (value == std::floor(value) && std::abs(value) < kLargestWhole) return static_cast<std::int64_t>(value);
  return value;
}
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json case_json(const ComparedCase& one, const Comparison& comparison) {
  Json json = {{"file", one.measured.file},     {"line", one.measured.line},   {"case", one.label},
               {"kernel", one.measured.kernel}, {"family", one.mapped.kernel}, {"parameters", Json::object()}};
  for (const auto& [name, value] : one.mapped.parameters) json["parameters"][name] = value;
  if (!one.program.empty()) json["program"] = one.program;
  json["measured_sm_mhz"] = number(one.measured.sm_mhz());
  json["cycles_error_pct"] = one.cycles_error_pct;
  json["metrics"] = Json::object();
  for (const ComparedValue& value : one.values)
    json["metrics"][comparison.metrics[value.metric].metric->name] = {{"predicted", number(value.error.predicted)},
                                                                      {"measured", number(value.error.measured)},
                                                                      {"error", number(value.error.error)}};
  for (const StallPair& stall : one.stalls)
    json["stalls"][stall.reason] = {{"predicted", number(stall.predicted)}, {"measured", number(stall.measured)}};
  return json;
}

Json statistics_json(const ComparedTotal& total, const Comparison& comparison) {
  const ErrorStatistics& s = total.statistics;
  Json json = {{"unit", total.metric->unit},
               {"error_unit", error_unit(*total.metric)},
               {"cases", s.cases},
               {"equal", s.equal},
               {"undefined", s.undefined}};
  if (!total.worst_case) return json;
  json.update({{"mean", s.mean},
               {"median", s.median},
               {"p90", s.p90},
               {"bias", s.bias},
               {"within_5_pct", s.within_5},
               {"within_10_pct", s.within_10},
               {"within_20_pct", s.within_20},
               {"log_correlation", number(s.log_correlation)},
               {"worst_case", comparison.cases[*total.worst_case].label}});
  return json;
}

}  // namespace

std::string compare_json(const Comparison& comparison, const std::vector<Judgement>& judgements) {
  const RunOptions& options = comparison.options;
  Json json = {{"schema", "tilescope.compare/1"}, {"measured", comparison.files},
               {"gpu", comparison.gpu},           {"config_hash", comparison.config_hash},
               {"sm_mhz", comparison.sm_mhz},     {"mode", options.mode == Mode::timing ? "timing" : "counts"},
               {"sample", name(options.sample)},  {"cache_control", name(options.cache_control)}};
  json["totals"] = Json::object();
  for (const ComparedTotal& total : comparison.metrics)
    json["totals"][total.metric->name] = statistics_json(total, comparison);
  const bool recorded = std::any_of(comparison.cases.begin(), comparison.cases.end(),
                                    [](const ComparedCase& one) { return !one.program.empty(); });
  if (recorded)
    for (const ErrorGroup& group : error_groups(comparison)) {
      const ErrorStatistics& s = group.statistics;
      json["groups"].push_back({{"by", group.by},
                                {"name", group.name},
                                {"cases", s.cases},
                                {"mean", s.mean},
                                {"median", s.median},
                                {"p90", s.p90},
                                {"bias", s.bias}});
    }
  json["tolerances"] = Json::array();
  for (const Judgement& judgement : judgements) {
    const ComparedTotal& total = comparison.metrics[judgement.metric];
    json["tolerances"].push_back({{"metric", total.metric->name},
                                  {"statistic", "mean"},
                                  {"limit", judgement.limit},
                                  {"value", total.statistics.mean},
                                  {"within", judgement.within}});
  }
  json["cases"] = Json::array();
  for (const ComparedCase& one : comparison.cases) json["cases"].push_back(case_json(one, comparison));
  json["unmatched"] = Json::array();
  for (const UnmatchedRow& row : comparison.unmatched)
    json["unmatched"].push_back({{"file", row.measured.file},
                                 {"line", row.measured.line},
                                 {"case", row.measured.label()},
                                 {"reason", row.reason}});
  json["left_out"] = comparison.left_out;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilescope
