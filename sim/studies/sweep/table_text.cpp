#include "sim/studies/sweep/table_text.h"

#include <fmt/format.h>

#include "models/support/accepted.h"
#include "sim/results/views/csv_field.h"

namespace tilescope::sweep {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const std::string& text, ColumnKind kind) {
  if (kind == ColumnKind::label || kind == ColumnKind::status) return text;
  if (const auto whole = parse_integer(text)) return *whole;
  if (const auto real = parse_real(text)) return *real;
  return text;
}

const char* group_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::parameter:
      return "parameters";
    case ColumnKind::metric:
      return "metrics";
    case ColumnKind::derived:
      return "derived";
    case ColumnKind::provenance:
      return "provenance";
    default:
      return nullptr;
  }
}

}  // namespace

std::string table_csv(const SweepTable& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& [name, unit, kind] = table.columns[i];
    text += (i == 0 ? "" : ",") + csv_field(unit.empty() ? name : fmt::format("{} [{}]", name, unit));
  }
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", csv_field(row[i]));
    text += "\n";
  }
  return text;
}

Json table_json(const SweepTable& table) {
  Json json;
  json["schema"] = "tilescope.sweep/1";
  json["units"] = Json::object();
  for (const TableColumn& column : table.columns)
    if (!column.unit.empty()) json["units"][column.name] = column.unit;
  json["points"] = Json::array();
  for (const auto& row : table.rows) {
    Json point;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TableColumn& column = table.columns[i];
      if (row[i].empty()) continue;
      const char* group = group_of(column.kind);
      (group == nullptr ? point : point[group])[column.name] = value_of(row[i], column.kind);
    }
    json["points"].push_back(std::move(point));
  }
  return json;
}

}  // namespace tilescope::sweep
