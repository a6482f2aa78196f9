#include <fmt/format.h>

#include <algorithm>

#include "sim/results/views/csv_field.h"
#include "sim/results/views/line_view.h"

namespace tilescope {

std::string line_csv(const std::vector<LabelledResult>& results) {
  const bool several = results.size() != 1;
  const bool timed = results.front().result.mode == Mode::timing;
  std::string text = several ? "kernel," : "";
  text += "index,address,listing_line,file,line,instructions,text";
  for (const LineMetric& metric : line_metrics()) text += "," + metric.name;
  text += ",tag_cycles";
  if (timed) {
    text += ",samples_pct";
    for (int i = 0; i < kStalls; ++i) text += fmt::format(",stall_cycles.{}", name(static_cast<Stall>(i)));
  }
  text += "\n";
  for (const auto& [label, result] : results) {
    const LineReport& report = *result.lines;
    for (const LineRow& row : report.rows) {
      const InstructionSource& source = row.source;
      const bool one = report.by == By::instruction;
      if (several) text += csv_field(label) + ",";
      text += one ? fmt::format("{},", source.index) : ",";
      text += source.address && one ? fmt::format("0x{:04x},", *source.address) : ",";
      text += source.listing_line != 0 && one ? fmt::format("{},", source.listing_line) : ",";
      text += csv_field(source.file) + (source.file.empty() ? "," : fmt::format(",{}", source.line));
      text += fmt::format(",{},{}", row.instructions, csv_field(source.text));
      for (const LineMetric& metric : line_metrics()) text += fmt::format(",{}", metric.value(row));
      text += fmt::format(",{}", row.counters.tag_cycles);
      if (timed) {
        text += fmt::format(",{}", 100 * report.heat(row));
        for (const std::uint64_t cycles : row.counters.stall_cycles) text += fmt::format(",{}", cycles);
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace tilescope
