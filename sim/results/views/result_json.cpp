#include "sim/results/views/result_json.h"

#include <cmath>

#include "sim/results/views/line_view.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value, bool whole) {
  if (whole) return static_cast<std::int64_t>(std::llround(value));
  return value;
}

Json dimensions(const Dim3& size) { return {size.x, size.y, size.z}; }

Json launch_json(const Launch& launch) {
  Json json;
  json["grid"] = dimensions(launch.grid);
  json["block"] = dimensions(launch.block);
  json["registers_per_thread"] = launch.registers_per_thread;
  json["static_smem_bytes"] = launch.static_smem_bytes;
  json["dynamic_smem_bytes"] = launch.dynamic_smem_bytes;
  json["flop"] = launch.flop;
  json["parameters"] = Json::object();
  for (const auto& [name, value] : launch.parameters) json["parameters"][name] = value;
  return json;
}

Json derived_json(const Result& result) {
  Json json = Json::object();
  for (const DerivedField& field : derived_fields()) {
    const std::optional<double>& value = result.derived.*field.value;
    if (value) json[std::string(field.name)] = *value;
  }
  json["occupancy_limiter"] = result.occupancy_limiter;
  if (!result.bottleneck) return json;
  json["bottleneck"] = result.bottleneck->name;
  json["bottleneck_reason"] = result.bottleneck->reason;
  for (const Utilisation& one : result.utilisation) json["utilisation_pct"][one.name] = one.percent;
  return json;
}

}  // namespace

Json result_json(const Result& result) {
  Json json;
  json["schema"] = "tilescope.result/1";
  json["kernel"] = result.launch.kernel;
  json["launch"] = launch_json(result.launch);
  json["gpu"] = result.gpu;
  json["mode"] = result.mode == Mode::timing ? "timing" : "counts";
  json["metrics"] = Json::object();
  for (const MetricValue& entry : result.metrics)
    json["metrics"][entry.metric->name] = number(entry.value, entry.metric->whole);
  json["derived"] = derived_json(result);
  const Provenance& from = result.provenance;
  json["provenance"] = {{"version", from.version},
                        {"config_hash", from.config_hash},
                        {"sample", name(from.sample)},
                        {"cache_control", name(from.cache_control)},
                        {"sampled_fraction", from.sampled_fraction},
                        {"cycles_error_pct", from.cycles_error_pct},
                        {"traffic_error_pct", from.traffic_error_pct}};
  if (result.mode == Mode::timing) {
    json["provenance"]["cycles_low"] = from.cycles_low;
    json["provenance"]["cycles_high"] = from.cycles_high;
  }
  json["provenance"]["wall_seconds"] = from.wall_seconds ? Json(*from.wall_seconds) : Json(nullptr);
  json["approximations"] = result.approximations;
  if (result.lines) json["lines"] = lines_json(*result.lines, result.mode);
  return json;
}

}  // namespace tilescope
