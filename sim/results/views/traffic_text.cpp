#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/bar_text.h"
#include "sim/results/views/number_text.h"
#include "sim/results/views/traffic_view.h"

namespace tilescope {
namespace {

constexpr int kTrafficBar = 40;

std::string times_least(const Traffic& traffic, double read) {
  if (!traffic.least_read || *traffic.least_read <= 0) return "";
  return fmt::format("reads {:.3g} x the least", read / *traffic.least_read);
}

}  // namespace

std::string traffic_text(const TrafficView& view) {
  std::string text = "traffic on " + view.gpu + "; bars of one level are of one scale\n";
  if (view.kernels.empty()) return text;
  for (std::size_t level = 0; level < view.kernels.front().traffic.levels.size(); ++level) {
    double most = 0;
    for (const auto& [label, traffic] : view.kernels) most = std::max(most, traffic.levels[level].bytes());
    if (most <= 0) continue;
    std::vector<std::vector<std::string>> lines;
    for (const auto& [label, traffic] : view.kernels) {
      const double bytes = traffic.levels[level].bytes();
      lines.push_back({"  " + label, scaled(bytes, "B"), bar_text(bytes / most, kTrafficBar),
                       traffic.levels[level].name == "hbm" ? times_least(traffic, traffic.levels[level].read) : ""});
    }
    text += "\n" + view.kernels.front().traffic.levels[level].label + "\n" + aligned_columns(lines);
  }
  text += "\nleast that HBM must move: each sector once\n";
  std::vector<std::vector<std::string>> lines;
  for (const auto& [label, traffic] : view.kernels)
    lines.push_back({"  " + label,
                     traffic.least_read ? scaled(*traffic.least_read, "B") + " read" : "not known: too many CTAs",
                     traffic.least_written ? scaled(*traffic.least_written, "B") + " written" : ""});
  text += aligned_columns(lines);
  for (const auto& [label, traffic] : view.kernels)
    if (!traffic.every_cta) text += fmt::format("{}: what lanes ask is scaled up from a part of its CTAs\n", label);
  return text;
}

nlohmann::ordered_json traffic_json(const TrafficView& view) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "tilescope.traffic/1"}, {"gpu", view.gpu}, {"unit", "byte"}};
  json["kernels"] = Json::array();
  for (const auto& [label, traffic] : view.kernels) {
    Json one = {{"kernel", label}};
    for (const TrafficLevel& level : traffic.levels)
      one["levels"].push_back(
          {{"level", level.name}, {"label", level.label}, {"read", level.read}, {"written", level.written}});
    one["least_read"] = traffic.least_read ? Json(*traffic.least_read) : Json(nullptr);
    one["least_written"] = traffic.least_written ? Json(*traffic.least_written) : Json(nullptr);
    one["every_cta"] = traffic.every_cta;
    json["kernels"].push_back(one);
  }
  return json;
}

}  // namespace tilescope
