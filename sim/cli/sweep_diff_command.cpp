#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/sweep_actions.h"
#include "sim/cli/sweep_study.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/aligned_columns.h"
#include "sim/studies/sweep/store_diff.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using sweep::ChangedValue;
using sweep::StoreDiff;

// "1%" -> 0.01.
double tolerance_from(const Values& values) {
  const auto& text = values["tolerance"].as<std::string>();
  const auto percent = text.ends_with('%') ? parse_real(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!percent || *percent < 0)
    throw UsageError(fmt::format("--tolerance: got {}; must be a percentage such as 1%", in_quotes(text)));
  return *percent / 100;
}

std::string change_text(const ChangedValue& value) {
  if (value.change == 0) return "";
  return std::isinf(value.change) ? "from zero" : fmt::format("{:+.3g} %", 100 * value.change);
}

std::string changes_text(const StoreDiff& diff, std::size_t most) {
  std::vector<std::vector<std::string>> lines{{"point", "column", "A", "B", "change"}};
  std::size_t outside = 0;
  for (const ChangedValue& value : diff.changed) {
    if (!value.outside) continue;
    if (++outside <= most) lines.push_back({value.point, value.column, value.before, value.after, change_text(value)});
  }
  std::string text = outside > 0 ? aligned_columns(lines) : "";
  if (outside > most) text += fmt::format("and {} changes more; --top N shows them\n", outside - most);
  return text;
}

std::string only_text(const char* store, const std::vector<std::string>& points, std::size_t most) {
  if (points.empty()) return "";
  std::string text = fmt::format("{} only in {}:\n", points_text(points.size()), store);
  for (std::size_t i = 0; i < std::min(points.size(), most); ++i) text += "  " + points[i] + "\n";
  if (points.size() > most) text += fmt::format("  and {} more\n", points.size() - most);
  return text;
}

int run_sweep_diff(const Values& values, std::ostream& out) {
  const double tolerance = tolerance_from(values);
  const auto most = static_cast<std::size_t>(whole_number(values, "top", 20, {1, 1'000'000}));
  const auto table = [&](const char* word) {
    const sweep::Store store(values[word].as<std::string>(), sweep::Store::Access::existing);
    return sweep_table(store, {values.count("study") != 0 ? values["study"].as<std::string>() : "", false});
  };
  const StoreDiff diff = diff_tables(table("A"), table("B"), tolerance);
  const auto outside = static_cast<std::size_t>(
      std::count_if(diff.changed.begin(), diff.changed.end(), [](const ChangedValue& value) { return value.outside; }));
  with_output(values, out, [&](std::ostream& stream) {
    stream << changes_text(diff, most) << only_text("A", diff.only_in_a, most) << only_text("B", diff.only_in_b, most);
    stream << fmt::format("{} in both: {} of their values differ by more than {:.4g} %, {} by less\n",
                          points_text(diff.common), outside, 100 * tolerance, diff.changed.size() - outside);
  });
  return outside + diff.only_in_a.size() + diff.only_in_b.size() > 0 ? outside_tolerance : ok;
}

}  // namespace

Command sweep_diff_command() {
  Command command;
  command.name = "sweep diff";
  command.summary = "Compare what two stores say about the same points";
  command.usage = "sweep diff A.db B.db [options]";
  command.details =
      "Points match by kernel, GPU and parameters, whichever version of the program computed them. Lists metrics and\n"
      "derived values that changed, and points that only one store has; exit code 3 when there are any.";
  command.examples =
      "tilescope sweep diff before.db after.db\n"
      "tilescope sweep diff before.db after.db --tolerance 1% --top 100";
  command.declare = [](CommandLine& line) {
    line.words = {"A", "B"};
    line.options.add_options()("tolerance", po::value<std::string>()->default_value("0%")->value_name("PERCENT"),
                               "relative change up to which numbers are the same");
    line.options.add_options()("study", po::value<std::string>()->value_name("NAME"), "only this study's points");
    line.options.add_options()("top", po::value<std::string>()->value_name("N"),
                               "at most N lines each, 20 unless given");
    add_output_option(line.options);
  };
  command.run = run_sweep_diff;
  return command;
}

}  // namespace tilescope::cli
