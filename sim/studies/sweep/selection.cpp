#include "sim/studies/sweep/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"
#include "models/support/suggest.h"

namespace tilescope::sweep {
namespace {

std::vector<std::string> column_names(const SweepTable& table) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) names.push_back(column.name);
  return names;
}

std::size_t column_of(const SweepTable& table, const std::string& name) {
  if (const auto at = table.find(name)) return *at;
  throw std::invalid_argument(fmt::format("no column {}{}", in_quotes(name), did_you_mean(name, column_names(table))));
}

// A row and how good it is; smaller is better.
struct Ranked {
  std::size_t row;
  std::vector<double> costs;
};

std::vector<Ranked> ranked_rows(const SweepTable& table, const std::vector<Goal>& goals) {
  std::vector<Ranked> all;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    Ranked one{row, {}};
    for (const Goal& goal : goals) {
      const auto value = parse_real(table.rows[row][column_of(table, goal.column)]);
      if (value) one.costs.push_back(goal.most ? -*value : *value);
    }
    if (one.costs.size() == goals.size()) all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const Ranked& a, const Ranked& b) { return a.costs < b.costs; });
  return all;
}

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return a != b;
}

SweepTable with_rows(SweepTable table, const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::string>> chosen;
  chosen.reserve(rows.size());
  for (const std::size_t row : rows) chosen.push_back(std::move(table.rows[row]));
  table.rows = std::move(chosen);
  return table;
}

}  // namespace

SweepTable rows_where(SweepTable table, const std::string& formula) {
  const PointExpression expression(formula);
  for (const auto& name : expression.names())
    if (!table.find(name.text))
      throw ExpressionError(name.column, fmt::format("no column {}{}", in_quotes(name.text),
                                                     did_you_mean(name.text, column_names(table))));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto value = [&](const std::string& name) -> std::optional<std::string> {
      const std::string& cell = table.rows[i][*table.find(name)];
      return cell.empty() && name != "reason" ? std::nullopt : std::optional(cell);
    };
    const auto& names = expression.names();
    if (std::all_of(names.begin(), names.end(), [&](const auto& name) { return value(name.text); }) &&
        expression.holds(value))
      chosen.push_back(i);
  }
  return with_rows(std::move(table), chosen);
}

Goal goal_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  Goal goal{text.substr(0, colon), false};
  if (colon != std::string::npos) {
    const std::string direction = text.substr(colon + 1);
    if (direction != "max" && direction != "min")
      throw std::invalid_argument(fmt::format("{}: got {}; must be max or min", goal.column, in_quotes(direction)));
    goal.most = direction == "max";
    return goal;
  }
  for (const char* high : {"tflops", "pct_of_peak", "hit_rate", "lookup_hit", "occupancy", "warps_active", "intensity",
                           "ctas_per_sm", "_gbs", "bandwidth"})
    goal.most = goal.most || goal.column.find(high) != std::string::npos;
  return goal;
}

SweepTable best_rows(SweepTable table, const Goal& goal) {
  column_of(table, goal.column);
  std::vector<std::size_t> rows;
  for (const Ranked& one : ranked_rows(table, {goal})) rows.push_back(one.row);
  return with_rows(std::move(table), rows);
}

SweepTable pareto_rows(SweepTable table, const std::vector<Goal>& goals) {
  for (const Goal& goal : goals) column_of(table, goal.column);
  std::vector<Ranked> front;  // in ascending order of costs: a later row never beats an earlier one
  for (Ranked& one : ranked_rows(table, goals)) {
    const auto beaten = [&](const Ranked& other) { return beats(other.costs, one.costs); };
    if (std::none_of(front.begin(), front.end(), beaten)) front.push_back(std::move(one));
  }
  std::vector<std::size_t> rows;
  rows.reserve(front.size());
  for (const Ranked& one : front) rows.push_back(one.row);
  return with_rows(std::move(table), rows);
}

std::vector<std::string> varying_columns(const SweepTable& table) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ColumnKind kind = table.columns[c].kind;
    if (kind != ColumnKind::label && kind != ColumnKind::parameter) continue;
    const auto differs = [&](const auto& row) { return row[c] != table.rows.front()[c]; };
    if (std::any_of(table.rows.begin(), table.rows.end(), differs)) names.push_back(table.columns[c].name);
  }
  return names;
}

}  // namespace tilescope::sweep
