#include "sim/studies/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "sim/results/derived.h"
#include "sim/results/metrics.h"
#include "sim/studies/sweep/stored_json.h"

namespace tilescope::sweep {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::map<std::string, std::string>;

struct Row {
  StoredPoint point;
  Cells parameters;
  Cells values;  // of metrics, derived values and provenance
  StoredResult result;
};

struct Damaged {};

Json object_of(const std::string& text) {
  auto object = stored_object(text);
  if (!object) throw Damaged{};
  return *std::move(object);
}

std::string cell_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.is_null() ? "" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Builder {
 public:
  void add(const StoredPoint& point, const StoredResult& result) {
    Row row{point, {}, {}, result};
    row.result.result.clear();
    const Json parameters = object_of(point.parameters);
    for (const auto& [name, value] : parameters.items()) {
      if (parameters_seen_.emplace(name, 0).second) parameters_.push_back(name);
      row.parameters[name] = cell_of(value);
    }
    if (result.ok) take_values(object_of(result.result), row.values);
    rows_.push_back(std::move(row));
  }

  SweepTable table(bool wall) {
    SweepTable table;
    for (const char* name : {"study", "kernel", "gpu"}) table.columns.push_back({name, "", ColumnKind::label});
    for (const std::string& name : parameters_) table.columns.push_back({name, "", ColumnKind::parameter});
    for (const char* name : {"status", "reason"}) table.columns.push_back({name, "", ColumnKind::status});
    for (const Metric& metric : metrics()) add_if_seen(table, metric.name, metric.unit, ColumnKind::metric);
    for (const DerivedField& field : derived_fields())
      add_if_seen(table, std::string(field.name), std::string(field.unit), ColumnKind::derived);
    for (const char* name : {"occupancy_limiter", "bottleneck"}) add_if_seen(table, name, "", ColumnKind::derived);
    add_if_seen(table, "sampled_fraction", "", ColumnKind::provenance);
    for (const char* name : {"cycles_error_pct", "traffic_error_pct"})
      add_if_seen(table, name, "%", ColumnKind::provenance);
    if (wall) table.columns.push_back({"version", "", ColumnKind::provenance});
    if (wall) table.columns.push_back({"wall_seconds", "s", ColumnKind::provenance});
    for (const Row& row : rows_) {
      std::vector<std::string>& cells = table.rows.emplace_back();
      cells.reserve(table.columns.size());
      for (const TableColumn& column : table.columns) cells.push_back(cell(row, column));
    }
    return table;
  }

 private:
  void take_values(const Json& result, Cells& values) {
    for (const char* part : {"metrics", "derived", "provenance"}) {
      if (!result.contains(part) || !result[part].is_object()) throw Damaged{};
      for (const auto& [name, value] : result[part].items()) {
        if (value.is_object()) continue;
        values[name] = cell_of(value);
        seen_[name] = 1;
      }
    }
  }

  void add_if_seen(SweepTable& table, const std::string& name, const std::string& unit, ColumnKind kind) const {
    if (seen_.count(name) != 0) table.columns.push_back({name, unit, kind});
  }

  static std::string found(const Cells& cells, const std::string& name) {
    const auto at = cells.find(name);
    return at == cells.end() ? "" : at->second;
  }

  static std::string cell(const Row& row, const TableColumn& column) {
    switch (column.kind) {
      case ColumnKind::label:
        return column.name == "study" ? row.point.study : column.name == "kernel" ? row.point.kernel : row.point.gpu;
      case ColumnKind::parameter:
        return found(row.parameters, column.name);
      case ColumnKind::status:
        if (column.name == "reason") return row.result.reason;
        return row.result.ok ? "ok" : "failed";
      case ColumnKind::provenance:
        if (column.name == "version") return row.result.version;
        if (column.name == "wall_seconds") return fmt::format("{:.3f}", row.result.wall_seconds);
        return found(row.values, column.name);
      default:
        return found(row.values, column.name);
    }
  }

  std::vector<std::string> parameters_;
  std::map<std::string, int> parameters_seen_, seen_;
  std::vector<Row> rows_;
};

}  // namespace

std::optional<std::size_t> SweepTable::find(const std::string& column) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == column) return i;
  return std::nullopt;
}

SweepTable sweep_table(const Store& store, const TableOptions& options) {
  const std::vector<std::string> studies = store.studies();
  if (!options.study.empty() && std::find(studies.begin(), studies.end(), options.study) == studies.end())
    throw std::invalid_argument(fmt::format("{}: has no study {}{}; has {}", store.path(), in_quotes(options.study),
                                            did_you_mean(options.study, studies), list_of(studies, "and")));
  Builder builder;
  store.each_point([&](const StoredPoint& point, const StoredResult* result) {
    if (result == nullptr || (!options.study.empty() && point.study != options.study)) return;
    try {
      builder.add(point, *result);
    } catch (const Damaged&) {
      throw std::invalid_argument(fmt::format("{}: point {} of study {} has a damaged result; must be a JSON object",
                                              store.path(), point.position, in_quotes(point.study)));
    }
  });
  return builder.table(options.wall);
}

SweepTable with_columns(SweepTable table, const std::vector<std::string>& names) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : names) {
    const auto at = table.find(name);
    if (!at) {
      std::vector<std::string> known;
      for (const TableColumn& column : table.columns) known.push_back(column.name);
      throw std::invalid_argument(fmt::format("no column {}{}", in_quotes(name), did_you_mean(name, known)));
    }
    chosen.push_back(*at);
  }
  SweepTable some;
  for (const std::size_t at : chosen) some.columns.push_back(table.columns[at]);
  for (const auto& row : table.rows) {
    auto& cells = some.rows.emplace_back();
    for (const std::size_t at : chosen) cells.push_back(row[at]);
  }
  return some;
}

}  // namespace tilescope::sweep
