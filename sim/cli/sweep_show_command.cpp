#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/support/accepted.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_study.h"
#include "sim/cli/sweep_table_options.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/aligned_columns.h"
#include "sim/studies/sweep/selection.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using sweep::Goal;
using sweep::SweepTable;

constexpr int kUsualRows = 20;

// What an engineer asks first, of those that the store has.
const std::vector<std::string> kUsualValues = {
    "gpc__cycles_elapsed.max", "tflops",    "shared_conflict_factor", "l1_hit_rate_pct", "l2_hit_rate_pct",
    "dram__bytes_read.sum",    "bottleneck"};

std::vector<Goal> goals_from(const Values& values) {
  std::vector<Goal> goals;
  if (values.count("best") != 0 && values.count("pareto") != 0)
    throw UsageError("--best and --pareto are given; must be one of them");
  if (values.count("best") != 0) goals.push_back(sweep::goal_of(values["best"].as<std::string>()));
  if (values.count("pareto") == 0) return goals;
  for (const std::string& one : comma_list(values["pareto"].as<std::string>())) goals.push_back(sweep::goal_of(one));
  if (goals.size() < 2)
    throw UsageError("--pareto: got one goal; must be two or more, such as tflops,dram__bytes_read.sum");
  return goals;
}

// Four digits are enough to read; whole numbers stay whole.
std::string shown(const std::string& cell) {
  if (parse_integer(cell)) return cell;
  const auto number = parse_real(cell);
  return number ? fmt::format("{:.4g}", *number) : cell;
}

std::vector<std::string> usual_columns(const SweepTable& table, const std::vector<Goal>& goals) {
  std::vector<std::string> names = varying_columns(table);
  const auto add = [&](const std::string& name) {
    if (table.find(name) && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const std::size_t status = *table.find("status");
  const auto failed = [&](const auto& row) { return row[status] == "failed"; };
  for (const Goal& goal : goals) add(goal.column);
  for (const std::string& name : kUsualValues) add(name);
  if (std::any_of(table.rows.begin(), table.rows.end(), failed)) add("reason");
  return names;
}

std::string text_of(const SweepTable& table, std::size_t most_rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const auto& column : table.columns)
    lines[0].push_back(column.unit.empty() ? column.name : column.name + " [" + column.unit + "]");
  for (std::size_t i = 0; i < std::min(most_rows, table.rows.size()); ++i) {
    auto& line = lines.emplace_back();
    for (const std::string& cell : table.rows[i]) line.push_back(shown(cell));
  }
  return aligned_columns(lines);
}

int run_sweep_show(const Values& values, std::ostream& out) {
  const std::vector<Goal> goals = goals_from(values);
  SweepTable table = selected_table(values, false);
  const std::size_t points = table.rows.size();
  if (points == 0) {
    out << "no points\n";
    return ok;
  }
  auto columns = columns_from(values);
  if (columns.empty()) columns = usual_columns(table, goals);
  if (goals.size() == 1) table = best_rows(std::move(table), goals.front());
  if (goals.size() > 1) table = pareto_rows(std::move(table), goals);
  const auto most = static_cast<std::size_t>(whole_number(values, "top", kUsualRows, {1, 1'000'000}));
  const std::size_t rows = table.rows.size();
  const std::string text = text_of(with_columns(std::move(table), columns), most);
  with_output(values, out, [&](std::ostream& stream) {
    stream << text;
    if (goals.size() > 1) stream << fmt::format("{} of {} are not beaten by another\n", rows, points_text(points));
    if (rows > most) stream << fmt::format("{} of {} shown; --top N shows more\n", most, points_text(rows));
  });
  return ok;
}

}  // namespace

Command sweep_show_command() {
  Command command;
  command.name = "sweep show";
  command.summary = "Show a store's results: the best, the Pareto front, those that meet a condition";
  command.usage = "sweep show STORE.db [options]";
  command.details =
      "Without --columns: the parameters that differ, and what an engineer asks first. A METRIC is any column of\n"
      "`sweep export`; :max or :min says what is good, otherwise throughput, hit rates and occupancy are best high,\n"
      "everything else low.";
  command.examples =
      "tilescope sweep show tiles.db --best tflops --top 5\n"
      "tilescope sweep show tiles.db --pareto tflops,dram__bytes_read.sum --where \"gpu == 'h100'\"\n"
      "tilescope sweep show tiles.db --where \"status == 'failed'\" --columns kernel,bm,bn,reason";
  command.declare = [](CommandLine& line) {
    line.words = {"STORE"};
    line.options.add_options()("best", po::value<std::string>()->value_name("METRIC[:max|min]"), "best first");
    line.options.add_options()("pareto", po::value<std::string>()->value_name("A,B,..."),
                               "only points that no other beats in all of these metrics");
    add_selection_options(line.options);
    line.options.add_options()("top", po::value<std::string>()->value_name("N"), "at most N points, 20 unless given");
    add_output_option(line.options);
  };
  command.run = run_sweep_show;
  return command;
}

}  // namespace tilescope::cli
