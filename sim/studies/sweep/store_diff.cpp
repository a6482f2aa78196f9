#include "sim/studies/sweep/store_diff.h"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "models/support/accepted.h"

namespace tilescope::sweep {
namespace {

// A point's name: only what has a value, so that stores of different studies match where they meet.
std::string name_of(const SweepTable& table, const std::vector<std::string>& row) {
  std::string name;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if (column.name == "kernel" || column.name == "gpu")
      name += (name.empty() ? "" : " ") + row[c];
    else if (column.kind == ColumnKind::parameter && !row[c].empty())
      name += " " + column.name + "=" + row[c];
  }
  return name;
}

// Independent of the order of columns.
std::map<std::string, std::string> identity_of(const SweepTable& table, const std::vector<std::string>& row) {
  std::map<std::string, std::string> identity;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const TableColumn& column = table.columns[c];
    const bool counts = column.name == "kernel" || column.name == "gpu" || column.kind == ColumnKind::parameter;
    if (counts && !row[c].empty()) identity[column.name] = row[c];
  }
  return identity;
}

bool is_compared(const TableColumn& column) {
  return column.kind == ColumnKind::metric || column.kind == ColumnKind::derived || column.name == "status";
}

std::string cell(const SweepTable& table, const std::vector<std::string>& row, const std::string& column) {
  const auto at = table.find(column);
  return at ? row[*at] : "";
}

void compare(ChangedValue value, double tolerance, StoreDiff& diff) {
  if (value.before == value.after) return;
  const auto a = parse_real(value.before);
  const auto b = parse_real(value.after);
  if (a && b) {
    value.change = *a == *b ? 0 : *a == 0 ? std::numeric_limits<double>::infinity() : (*b - *a) / std::abs(*a);
    value.outside = std::abs(value.change) > tolerance;
  }
  diff.changed.push_back(std::move(value));
}

}  // namespace

StoreDiff diff_tables(const SweepTable& a, const SweepTable& b, double tolerance) {
  StoreDiff diff;
  std::map<std::map<std::string, std::string>, std::size_t> of_b;
  for (std::size_t i = 0; i < b.rows.size(); ++i) of_b.emplace(identity_of(b, b.rows[i]), i);
  std::vector<bool> met(b.rows.size(), false);
  for (const auto& row : a.rows) {
    const auto found = of_b.find(identity_of(a, row));
    if (found == of_b.end()) {
      diff.only_in_a.push_back(name_of(a, row));
      continue;
    }
    ++diff.common;
    met[found->second] = true;
    const auto& other = b.rows[found->second];
    for (std::size_t c = 0; c < row.size(); ++c)
      if (is_compared(a.columns[c]))
        compare({name_of(a, row), a.columns[c].name, row[c], cell(b, other, a.columns[c].name)}, tolerance, diff);
    for (std::size_t c = 0; c < other.size(); ++c)
      if (is_compared(b.columns[c]) && !a.find(b.columns[c].name))
        compare({name_of(a, row), b.columns[c].name, "", other[c]}, tolerance, diff);
  }
  for (const auto& [identity, row] : of_b)
    if (!met[row]) diff.only_in_b.push_back(name_of(b, b.rows[row]));
  return diff;
}

}  // namespace tilescope::sweep
