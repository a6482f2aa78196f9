#include "sim/cli/plot_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"
#include "sim/cli/sweep_study.h"
#include "sim/cli/sweep_table_options.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/bar_chart.h"
#include "sim/results/views/line_chart.h"
#include "sim/studies/sweep/selection.h"

namespace tilescope::cli {
namespace {

using sweep::SweepTable;

// A point of the picture: the best of the stored ones that have the same x and series.
struct Plotted {
  std::string x, series;
  double y = 0;
  std::size_t of = 0;
};

struct Points {
  std::vector<Plotted> all;  // in the order of the studies
  std::vector<std::string> series;
  std::size_t without_value = 0;
  std::string x_name, y_name;
};

std::string with_unit(const sweep::TableColumn& column) {
  return column.unit.empty() ? column.name : column.name + " [" + column.unit + "]";
}

// The series of a row: a value of --series, of several stores behind the store's name.
std::string series_of(const std::vector<std::string>& row, const std::string& store) {
  const std::string value = row.size() > 2 ? row[2] : "";
  return store.empty() || value.empty() ? store + value : store + " " + value;
}

class Gathering {
 public:
  explicit Gathering(bool most) : most_(most) {}

  void add(const std::string& x, const std::string& series, double y) {
    const auto [known, fresh] = places_.try_emplace({x, series}, points.all.size());
    if (fresh) points.all.push_back({x, series, y, 0});
    Plotted& one = points.all[known->second];
    one.y = most_ ? std::max(one.y, y) : std::min(one.y, y);
    ++one.of;
    if (std::find(points.series.begin(), points.series.end(), series) == points.series.end())
      points.series.push_back(series);
  }

  Points points;

 private:
  bool most_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

Points points_of(const Values& values, const std::vector<std::string>& stores, const sweep::Goal& goal) {
  std::vector<std::string> names{values["x"].as<std::string>(), goal.column};
  if (values.count("series") != 0) names.push_back(values["series"].as<std::string>());
  Gathering gathering(goal.most);
  for (const std::string& store : stores) {
    const SweepTable table = with_columns(selected_table(values, store, false), names);
    gathering.points.x_name = with_unit(table.columns[0]);
    gathering.points.y_name = with_unit(table.columns[1]);
    const std::string label = stores.size() == 1 ? "" : std::filesystem::path(store).stem().string();
    for (const auto& row : table.rows) {
      if (row[1].empty() || row[0].empty()) {
        ++gathering.points.without_value;
        continue;
      }
      const auto y = parse_real(row[1]);
      if (!y)
        throw UsageError(
            fmt::format("--y: column {} has {}; must be numbers", in_quotes(goal.column), in_quotes(row[1])));
      gathering.add(row[0], series_of(row, label), *y);
    }
  }
  Points points = std::move(gathering.points);
  if (points.all.empty())
    throw UsageError(fmt::format("no point has a value of {} and {}", in_quotes(names[0]), in_quotes(names[1])));
  if (points.series.size() > kMostSeries)
    throw UsageError(fmt::format("--series: got {} different values; must be at most {} (--where chooses)",
                                 points.series.size(), kMostSeries));
  return points;
}

LineChart lines_over(const Points& points, bool logarithmic) {
  LineChart chart{points.x_name, points.y_name, {}, logarithmic};
  for (const std::string& series : points.series) {
    ChartSeries& one = chart.series.emplace_back(ChartSeries{series, {}});
    for (const Plotted& point : points.all)
      if (point.series == series) one.points.emplace_back(*parse_real(point.x), point.y);
    std::sort(one.points.begin(), one.points.end());
    for (const auto& [x, y] : one.points)
      if (logarithmic && y <= 0)
        throw UsageError(fmt::format("--log: got a value {} of {}; must be above 0", y, points.y_name));
  }
  return chart;
}

std::vector<ChartBar> bars_over(const Points& points) {
  std::vector<ChartBar> bars;
  std::vector<std::string> words;
  for (const Plotted& point : points.all)
    if (std::find(words.begin(), words.end(), point.x) == words.end()) words.push_back(point.x);
  for (const std::string& word : words)
    for (const std::string& series : points.series)
      for (const Plotted& point : points.all)
        if (point.x == word && point.series == series) bars.push_back({word, series, point.y});
  return bars;
}

std::string notes(const Points& points, const sweep::Goal& goal) {
  std::string text;
  const auto [least, most] = std::minmax_element(points.all.begin(), points.all.end(),
                                                 [](const Plotted& a, const Plotted& b) { return a.of < b.of; });
  if (most->of > 1)
    text += fmt::format(
        "each mark is the {} of {}\n", goal.most ? "greatest" : "least",
        least->of == most->of ? points_text(most->of) : fmt::format("{} to {} points", least->of, most->of));
  if (points.without_value > 0) text += fmt::format("{} without a value left out\n", points_text(points.without_value));
  return text;
}

}  // namespace

std::string sweep_plot(const Values& values, const std::vector<std::string>& stores, const ChartStyle& style) {
  const sweep::Goal goal = sweep::goal_of(values["y"].as<std::string>());
  const Points points = points_of(values, stores, goal);
  const bool logarithmic = values.count("log") != 0;
  const bool numbers = std::all_of(points.all.begin(), points.all.end(),
                                   [](const Plotted& point) { return parse_real(point.x).has_value(); });
  if (!numbers && logarithmic)
    throw UsageError(
        fmt::format("--log: {} has words, which are drawn as bars from 0; must be numbers", in_quotes(points.x_name)));
  if (numbers) return line_chart(lines_over(points, logarithmic), style) + notes(points, goal);
  return bar_chart(points.y_name + " over " + points.x_name, bars_over(points), style) + notes(points, goal);
}

}  // namespace tilescope::cli
