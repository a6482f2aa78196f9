#include "sim/studies/report/sweep_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "models/support/accepted.h"
#include "sim/studies/sweep/sweep_table.h"

namespace tilescope::report {
namespace {

using PointJson = nlohmann::ordered_json;
using sweep::ColumnKind;
using sweep::Goal;
using sweep::SweepTable;

constexpr const char* kRow = "row of the report";  // a column that says which row it was

// What is asked first, in this order; as far as the store has it, and it differs.
const std::vector<std::string> kUsualValues = {"gpc__cycles_elapsed.max",
                                               "tflops",
                                               "dram__bytes_read.sum",
                                               "launch__shared_mem_config_size",
                                               "l2_hit_rate_pct",
                                               "shared_conflict_factor",
                                               "occupancy_pct",
                                               "l1_hit_rate_pct",
                                               "launch__registers_per_thread",
                                               "gpu__time_duration.sum",
                                               "dram__bytes_write.sum",
                                               "bottleneck"};
// What a front sets the best's goal against.
const std::vector<std::string> kUsualCosts = {"launch__shared_mem_config_size", "dram__bytes_read.sum",
                                              "launch__registers_per_thread"};
constexpr std::size_t kMostLevels = 400;  // of a column that is stored as levels

// Rows that have succeeded, each with its number.
SweepTable succeeded(SweepTable table) {
  const std::size_t status = *table.find("status");
  std::erase_if(table.rows, [&](const auto& row) { return row[status] != "ok"; });
  table.columns.push_back({kRow, "", ColumnKind::label});
  for (std::size_t i = 0; i < table.rows.size(); ++i) table.rows[i].push_back(std::to_string(i));
  return table;
}

std::vector<std::size_t> numbers_of(const SweepTable& rows) {
  std::vector<std::size_t> numbers;
  for (const auto& row : rows.rows) numbers.push_back(static_cast<std::size_t>(*parse_integer(row.back())));
  return numbers;
}

bool differs(const SweepTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column] != table.rows.front()[column]; });
}

bool differs(const SweepTable& table, const std::string& name) {
  const auto at = table.find(name);
  return at && differs(table, *at);
}

Goal best_goal(const SweepTable& table, const SweepOptions& options) {
  if (options.best) return *options.best;
  for (const char* name : {"tflops", "gpc__cycles_elapsed.max", "dram__bytes_read.sum"})
    if (differs(table, name)) return sweep::goal_of(name);
  return sweep::goal_of("dram__bytes_read.sum");
}

std::vector<std::vector<Goal>> fronts_of(const SweepTable& table, const SweepOptions& options, const Goal& best) {
  if (!options.pareto.empty()) return {options.pareto};
  std::vector<std::vector<Goal>> fronts;
  for (const std::string& cost : kUsualCosts)
    if (differs(table, cost) && cost != best.column) fronts.push_back({best, sweep::goal_of(cost)});
  return fronts;
}

PointJson cell_json(const std::string& cell) {
  if (cell.empty()) return nullptr;
  if (const auto whole = parse_integer(cell)) return *whole;
  if (const auto number = parse_real(cell)) return *number;
  return cell;
}

// {"name", "unit", "kind", "most": the greater the better, "levels": [...], "index": [...]} or "values": [...].
PointJson column_json(const SweepTable& table, std::size_t column, const std::vector<std::size_t>& rows) {
  const sweep::TableColumn& about = table.columns[column];
  const bool value = about.kind == ColumnKind::metric || about.kind == ColumnKind::derived;
  PointJson json = {{"name", about.name}, {"unit", about.unit}, {"kind", value ? "value" : "parameter"}};
  if (value) json["most"] = sweep::goal_of(about.name).most;
  std::map<std::string, std::size_t> level_of;
  std::vector<std::string> levels;
  for (const std::size_t row : rows) {
    const std::string& cell = table.rows[row][column];
    if (level_of.emplace(cell, levels.size()).second) levels.push_back(cell);
    if (value && levels.size() > kMostLevels) break;
  }
  if (value && levels.size() > kMostLevels) {
    json["values"] = PointJson::array();
    for (const std::size_t row : rows) json["values"].push_back(cell_json(table.rows[row][column]));
    return json;
  }
  json["levels"] = PointJson::array();
  for (const std::string& level : levels) json["levels"].push_back(cell_json(level));
  json["index"] = PointJson::array();
  for (const std::size_t row : rows) json["index"].push_back(level_of.at(table.rows[row][column]));
  return json;
}

// Two points have it with different values: a parameter that some kernels do not have is not one for that.
bool is_axis(const SweepTable& table, std::size_t column) {
  const ColumnKind kind = table.columns[column].kind;
  if ((kind != ColumnKind::label && kind != ColumnKind::parameter) || table.columns[column].name == kRow) return false;
  std::string seen;
  for (const auto& row : table.rows) {
    if (!seen.empty() && !row[column].empty() && row[column] != seen) return true;
    if (seen.empty()) seen = row[column];
  }
  return false;
}

std::vector<std::string> axes_of(const SweepTable& table) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (is_axis(table, i)) axes.push_back(table.columns[i].name);
  return axes;
}

// Rows that a picture would miss: the best of any two values of two parameters. `ranked`: best first.
std::set<std::size_t> best_of_pairs(const SweepTable& table, const std::vector<std::string>& axes,
                                    const std::vector<std::size_t>& ranked) {
  std::set<std::size_t> kept;
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t b = a + 1; b < axes.size(); ++b) {
      std::set<std::pair<std::string, std::string>> seen;
      for (const std::size_t row : ranked)
        if (seen.emplace(table.rows[row][*table.find(axes[a])], table.rows[row][*table.find(axes[b])]).second)
          kept.insert(row);
    }
  return kept;
}

// At most `most` of the rows, in their order; `first` before the others.
std::vector<std::size_t> thinned(std::size_t rows, std::size_t most, const std::set<std::size_t>& first) {
  std::vector<std::size_t> kept(first.begin(), first.end());
  if (kept.size() < most) {
    std::vector<std::size_t> others;
    for (std::size_t row = 0; row < rows; ++row)
      if (first.count(row) == 0) others.push_back(row);
    const std::size_t room = std::min(most - kept.size(), others.size());
    for (std::size_t i = 0; i < room; ++i) kept.push_back(others[i * others.size() / room]);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<std::string> value_columns(const SweepTable& table, const std::vector<std::vector<Goal>>& fronts,
                                       const Goal& best) {
  std::vector<std::string> names{best.column};
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& front : fronts)
    for (const Goal& goal : front) add(goal.column);
  for (const std::string& name : kUsualValues)
    if (differs(table, name)) add(name);
  return names;
}

PointJson goal_json(const Goal& goal) { return {{"column", goal.column}, {"most", goal.most}}; }

PointJson failures(const SweepTable& table) {
  const std::size_t status = *table.find("status"), reason = *table.find("reason");
  std::map<std::string, std::int64_t> counts;
  for (const auto& row : table.rows)
    if (row[status] != "ok") ++counts[row[reason]];
  std::vector<std::pair<std::string, std::int64_t>> most(counts.begin(), counts.end());
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (most.size() > 10) most.resize(10);
  PointJson all = PointJson::array();
  for (const auto& [why, points] : most) all.push_back({{"reason", why}, {"points", points}});
  return all;
}

}  // namespace

PointJson sweep_section(const std::string& word, const sweep::Store& store, const SweepOptions& options) {
  SweepTable all = sweep::sweep_table(store, {options.study, false});
  PointJson json = {{"kind", "sweep"}, {"store", word}, {"points", all.rows.size()}};
  json["failures"] = failures(all);
  const SweepTable table = succeeded(std::move(all));
  if (table.rows.empty()) throw std::invalid_argument(fmt::format("{}: no point has succeeded", word));
  json["succeeded"] = table.rows.size();

  const Goal best = best_goal(table, options);
  const std::vector<std::size_t> ranked = numbers_of(sweep::best_rows(table, best));
  if (ranked.empty()) throw std::invalid_argument(fmt::format("{}: no point has a value of {}", word, best.column));
  const std::vector<std::vector<Goal>> fronts = fronts_of(table, options, best);
  const std::vector<std::string> axes = axes_of(table), values = value_columns(table, fronts, best);

  std::set<std::size_t> first{ranked.front()};
  std::vector<std::vector<std::size_t>> on_front;
  for (const auto& front : fronts) {
    on_front.push_back(numbers_of(sweep::pareto_rows(table, front)));
    first.insert(on_front.back().begin(), on_front.back().end());
  }
  std::vector<std::size_t> rows(table.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const std::size_t most_rows = options.most_bytes / (4 * axes.size() + 28);
  if (rows.size() > most_rows) {
    first.merge(best_of_pairs(table, axes, ranked));
    rows = thinned(rows.size(), most_rows, first);
  }
  json["shown"] = rows.size();
  json["columns"] = PointJson::array();
  json["columns_left_out"] = PointJson::array();
  std::size_t bytes = 0;
  const auto add = [&](const std::string& name, bool needed) {
    PointJson column = column_json(table, *table.find(name), rows);
    const std::size_t size = column.dump(-1, ' ', false, PointJson::error_handler_t::replace).size();
    const bool fits = needed || bytes + size <= options.most_bytes;
    if (fits) bytes += size;
    json[fits ? "columns" : "columns_left_out"].push_back(fits ? std::move(column) : PointJson(name));
  };
  for (const std::string& name : axes) add(name, true);
  const std::size_t needed = fronts.empty() ? 1 : fronts.front().size();
  for (std::size_t i = 0; i < values.size(); ++i) add(values[i], i < needed);

  const auto place_of = [&](std::size_t row) {
    return static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
  };
  json["best"] = {{"goal", goal_json(best)}, {"row", place_of(ranked.front())}};
  json["fronts"] = PointJson::array();
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    PointJson one = {{"goals", PointJson::array()}, {"rows", PointJson::array()}};
    for (const Goal& goal : fronts[i]) one["goals"].push_back(goal_json(goal));
    for (const std::size_t row : on_front[i]) one["rows"].push_back(place_of(row));
    json["fronts"].push_back(std::move(one));
  }
  return json;
}

}  // namespace tilescope::report
