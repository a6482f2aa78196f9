#include "sim/studies/report/line_columns.h"

#include <algorithm>

#include "sim/results/line_report.h"
#include "sim/results/views/line_view.h"

namespace tilescope::report {
namespace {

using LineJson = nlohmann::ordered_json;

bool says_nothing(const LineJson& value) {
  return value.is_null() || value == 0 || (value.is_string() && value.get<std::string>().empty());
}

// Values of the same key in all rows; an object's keys become columns of their own within it.
LineJson columns_of(const LineJson& rows) {
  std::vector<std::string> names;
  for (const LineJson& row : rows)
    for (const auto& [name, value] : row.items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  LineJson columns = LineJson::object();
  for (const std::string& name : names) {
    LineJson column = LineJson::array();
    for (const LineJson& row : rows) column.push_back(row.value(name, LineJson()));
    if (column.front().is_object()) {
      columns[name] = columns_of(column);
    } else if (!std::all_of(column.begin(), column.end(), says_nothing)) {
      columns[name] = std::move(column);
    }
  }
  return columns;
}

}  // namespace

LineJson line_columns(const Kernel& kernel, const RunOutcome& outcome, std::size_t most) {
  const By by = knows_source_lines(kernel) ? By::source : By::instruction;
  LineReport report = report_lines(kernel, outcome.instructions, by);
  LineJson json = {{"by", by == By::source ? "source" : "line"}, {"of", report.rows.size()}};
  report.keep_hottest(most);
  json["rows"] = report.rows.size();
  json["total_samples"] = report.total.stall_cycles();
  json["columns"] = report.rows.empty() ? LineJson::object() : columns_of(lines_json(report, Mode::timing));
  return json;
}

}  // namespace tilescope::report
