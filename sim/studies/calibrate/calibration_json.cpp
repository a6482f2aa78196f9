#include <nlohmann/json.hpp>

#include "sim/studies/calibrate/calibration_view.h"

namespace tilescope::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json number(const ChosenParameter& chosen, double value) {
  return chosen.whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json errors_json(const Calibration& calibration, When when) {
  const ErrorStatistics e = summarise_errors(calibration.residuals, when);
  return {{"mean_pct", e.mean},
          {"median_pct", e.median},
          {"p90_pct", e.p90},
          {"worst_pct", worst_error(calibration.residuals, when)}};
}

Json parameter_json(const FittedParameter& parameter) {
  const ChosenParameter& chosen = parameter.chosen;
  Json json = {{"key", chosen.key},
               {"unit", chosen.unit},
               {"before", number(chosen, chosen.before)},
               {"after", number(chosen, parameter.after)},
               {"interval_95", nullptr},
               {"bounds", {number(chosen, chosen.low), number(chosen, chosen.high)}},
               {"at_bound", nullptr}};
  if (parameter.interval) json["interval_95"] = {parameter.interval->first, parameter.interval->second};
  if (parameter.bound != AtBound::no) json["at_bound"] = parameter.bound == AtBound::low ? "low" : "high";
  return json;
}

}  // namespace

std::string calibration_json(const Calibration& calibration) {
  Json json = {
      {"schema", "tilescope.calibration/1"},
      {"gpu", calibration.gpu},
      {"file", calibration.file},
      {"measured", calibration.measured_files},
      {"cases", calibration.cases},
      {"error", {{"before", errors_json(calibration, When::before)}, {"after", errors_json(calibration, When::after)}}},
      {"parameters", Json::array()},
      {"correlations", Json::array()},
      {"fit",
       {{"iterations", calibration.iterations},
        {"stop", stop_text(calibration.stop)},
        {"simulations", calibration.simulations},
        {"degrees_of_freedom", calibration.degrees_of_freedom},
        {"residual_deviation", nullptr}}},
      {"residuals", Json::array()}};
  if (calibration.degrees_of_freedom > 0) json["fit"]["residual_deviation"] = calibration.residual_deviation;
  for (const FittedParameter& parameter : calibration.parameters)
    json["parameters"].push_back(parameter_json(parameter));
  for (const CorrelatedPair& pair : calibration.correlated)
    json["correlations"].push_back({{"parameters", {pair.first, pair.second}}, {"r", pair.r}});
  for (const CaseResidual& r : calibration.residuals)
    json["residuals"].push_back({{"case", r.label},
                                 {"metric", r.metric->name},
                                 {"unit", r.metric->unit},
                                 {"measured", r.measured},
                                 {"before", r.before},
                                 {"after", r.after}});
  for (const LeftOut& row : calibration.left_out)
    json["left_out"].push_back({{"row", row.label}, {"reason", row.reason}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilescope::calibrate
