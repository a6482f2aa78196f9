#include <fmt/format.h>

#include "sim/results/views/aligned_columns.h"
#include "sim/results/views/bar_text.h"
#include "sim/results/views/number_text.h"
#include "sim/results/views/roofline_view.h"

namespace tilescope {
namespace {

constexpr int kRoofBar = 30;

std::string rate_text(const std::optional<double>& rate, const char* unit) { return rate ? scaled(*rate, unit) : "-"; }

std::string seconds_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.4g} us", seconds * 1e6) : fmt::format("{:.4g} ms", seconds * 1e3);
}

std::string kernel_lines(const RooflineView& view, const LabelledPoint& kernel) {
  if (!kernel.point) return fmt::format("{}: no floating-point work is known\n", kernel.label);
  const RooflinePoint& point = *kernel.point;
  const Ceiling& unit = view.ceilings.arithmetic[point.arithmetic];
  std::string text = fmt::format("{}: {} in {}: {}, {:.1f} % of {}\n", kernel.label, scaled(point.flop, "FLOP"),
                                 seconds_text(point.seconds), scaled(point.reached, "FLOP/s"),
                                 100 * point.reached / unit.nominal, unit.label);
  std::vector<std::vector<std::string>> lines{{"  level", "bytes", "FLOP/byte", "allows", "reached", ""}};
  for (const LevelPoint& level : point.levels)
    lines.push_back({"  " + view.ceilings.memory[level.level].label, scaled(level.bytes, "B"),
                     fmt::format("{:.3g}", level.intensity), scaled(level.allows, "FLOP/s"),
                     bar_text(point.reached / level.allows, kRoofBar),
                     fmt::format("{:.0f} %", 100 * point.reached / level.allows)});
  text += aligned_columns(lines);
  const std::string name = point.roof ? view.ceilings.memory[point.levels[*point.roof].level].label : unit.label;
  return text + fmt::format("  roof: {}, which allows {}; reached: {:.0f} %\n", name, scaled(point.allows, "FLOP/s"),
                            100 * point.reached / point.allows);
}

}  // namespace

std::string roofline_text(const RooflineView& view) {
  std::string text = "roofline on " + view.gpu + "\n\n";
  std::vector<std::vector<std::string>> lines{{"ceiling", "nominal", "measured", "ridge with FP32"}};
  double fp32 = 0;
  for (const Ceiling& one : view.ceilings.arithmetic) {
    if (one.name == "fp32") fp32 = one.nominal;
    lines.push_back({one.label, scaled(one.nominal, "FLOP/s"), rate_text(one.measured, "FLOP/s")});
  }
  for (const Ceiling& one : view.ceilings.memory)
    lines.push_back({one.label, scaled(one.nominal, "B/s"), rate_text(one.measured, "B/s"),
                     fmt::format("{:.3g} FLOP/byte", fp32 / one.nominal)});
  text += aligned_columns(lines);
  for (const LabelledPoint& kernel : view.kernels) text += "\n" + kernel_lines(view, kernel);
  return text + "\nallows: the measured bandwidth, nominal where none is, times FLOP/byte, at most the unit's peak.\n";
}

nlohmann::ordered_json roofline_json(const RooflineView& view) {
  using Json = nlohmann::ordered_json;
  const auto ceilings_json = [](const std::vector<Ceiling>& all, const char* unit) {
    Json list = Json::array();
    for (const Ceiling& one : all) {
      Json entry = {{"name", one.name}, {"label", one.label}, {"unit", unit}, {"nominal", one.nominal}};
      entry["measured"] = one.measured ? Json(*one.measured) : Json(nullptr);
      list.push_back(entry);
    }
    return list;
  };
  Json json = {{"schema", "tilescope.roofline/1"}, {"gpu", view.gpu}};
  json["memory"] = ceilings_json(view.ceilings.memory, "byte/s");
  json["arithmetic"] = ceilings_json(view.ceilings.arithmetic, "FLOP/s");
  json["kernels"] = Json::array();
  for (const LabelledPoint& kernel : view.kernels) {
    Json one = {{"kernel", kernel.label}};
    if (kernel.point) {
      const RooflinePoint& point = *kernel.point;
      one["flop"] = point.flop;
      one["seconds"] = point.seconds;
      one["flop_per_second"] = point.reached;
      one["arithmetic"] = view.ceilings.arithmetic[point.arithmetic].name;
      one["levels"] = Json::array();
      for (const LevelPoint& level : point.levels)
        one["levels"].push_back({{"level", view.ceilings.memory[level.level].name},
                                 {"bytes", level.bytes},
                                 {"flop_per_byte", level.intensity},
                                 {"allows_flop_per_second", level.allows}});
      one["roof"] = point.roof ? view.ceilings.memory[point.levels[*point.roof].level].name
                               : view.ceilings.arithmetic[point.arithmetic].name;
      one["roof_flop_per_second"] = point.allows;
    }
    json["kernels"].push_back(one);
  }
  return json;
}

}  // namespace tilescope
