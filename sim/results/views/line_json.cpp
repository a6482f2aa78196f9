#include <fmt/format.h>

#include "sim/results/views/line_view.h"

namespace tilescope {
namespace {

using Json = nlohmann::ordered_json;

Json place(const LineReport& report, const LineRow& row) {
  const InstructionSource& source = row.source;
  Json json = Json::object();
  if (report.by == By::instruction) {
    json["index"] = source.index;
    if (source.address) json["address"] = fmt::format("0x{:04x}", *source.address);
    if (source.listing_line != 0) json["listing_line"] = source.listing_line;
  }
  if (!source.file.empty()) {
    json["file"] = source.file;
    json["line"] = source.line;
  }
  if (report.by == By::source) json["instructions"] = row.instructions;
  if (!source.text.empty()) json["text"] = source.text;
  return json;
}

}  // namespace

Json lines_json(const LineReport& report, Mode mode) {
  Json lines = Json::array();
  for (const LineRow& row : report.rows) {
    Json json = place(report, row);
    for (const LineMetric& metric : line_metrics()) json["metrics"][metric.name] = metric.value(row);
    json["tag_cycles"] = row.counters.tag_cycles;
    if (mode == Mode::timing) {
      json["samples_pct"] = 100 * report.heat(row);
      for (int i = 0; i < kStalls; ++i)
        json["stall_cycles"][std::string(name(static_cast<Stall>(i)))] =
            row.counters.stall_cycles[static_cast<std::size_t>(i)];
    }
    lines.push_back(std::move(json));
  }
  return lines;
}

}  // namespace tilescope
