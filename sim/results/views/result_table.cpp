#include "sim/results/views/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/views/number_text.h"
#include "sim/results/views/table_rows.h"

namespace tilescope {
namespace {

struct Line {
  std::string label;
  std::vector<std::string> cells;
  std::string unit;
  bool title = false;
};

bool is_zero(const std::string& cell) { return cell == "-" || cell.find_first_not_of("0.") == std::string::npos; }

std::string real_text(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 1000 ? 0 : size >= 10 ? 1 : 2);
}

Line line_of(const TableRow& row, const std::vector<LabelledResult>& results) {
  Line line{row.label, {}, row.unit};
  std::vector<std::optional<double>> values;
  double largest = 0;
  for (const auto& [label, result] : results) {
    values.push_back(row.text ? std::nullopt : row.value(result));
    largest = std::max(largest, std::abs(values.back().value_or(0)));
  }
  // Seconds go below one: counted in nanoseconds, then with the prefix that fits.
  const bool seconds = row.unit == "s";
  Scale scale;
  if (row.notation == Notation::scaled) {
    scale = scale_for(seconds ? largest * 1e9 : largest);
    if (seconds) {
      const std::string_view order = "nums";
      const auto step = std::min<std::size_t>(3, static_cast<std::size_t>(std::llround(std::log10(scale.factor) / 3)));
      scale.factor = std::pow(1000.0, static_cast<double>(step)) * 1e-9;
      scale.prefix = step == 3 ? "" : std::string(1, order[step]);
    }
    line.unit = scale.prefix + row.unit;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (row.text)
      line.cells.push_back(row.text(results[i].result));
    else if (!values[i])
      line.cells.emplace_back("-");
    else
      line.cells.push_back(row.notation == Notation::count ? grouped(*values[i])
                                                           : real_text(*values[i] / scale.factor));
  }
  return line;
}

bool zero(const Line& line) { return std::all_of(line.cells.begin(), line.cells.end(), is_zero); }

bool unknown(const Line& line) {
  return std::all_of(line.cells.begin(), line.cells.end(), [](const std::string& cell) { return cell == "-"; });
}

std::vector<Line> lines_of(const std::vector<LabelledResult>& results) {
  std::vector<Line> lines;
  for (const TableGroup& group : table_groups()) {
    std::vector<Line> block;
    for (const TableRow& row : group.rows) block.push_back(line_of(row, results));
    std::erase_if(block, unknown);
    if (group.only_busy) std::erase_if(block, zero);
    const bool empty = std::all_of(block.begin(), block.end(), zero);
    if (block.empty() || (empty && !group.always)) continue;
    lines.push_back({group.title, {}, "", true});
    lines.insert(lines.end(), block.begin(), block.end());
  }
  return lines;
}

std::string parameters(const Launch& launch, const std::string& indent) {
  std::string text;
  for (const auto& [name, value] : launch.parameters)
    text += fmt::format("{}{}={}", text.empty() ? indent : " ", name, value);
  return text.empty() ? "" : text + "\n";
}

std::string notes(const std::vector<LabelledResult>& results) {
  std::string text;
  const bool several = results.size() > 1;
  for (const auto& [label, result] : results) {
    if (several) text += label + "\n" + parameters(result.launch, "  ");
    const std::string indent = several ? "  " : "";
    if (result.bottleneck) text += fmt::format("{}bottleneck: {}\n", indent, result.bottleneck->reason);
    text += fmt::format("{}{}\n", indent, how_it_ran(result));
    text += approximation_lines(result, indent);
  }
  return text;
}

std::string how_it_was_simulated(const Result& result) {
  if (result.provenance.sampled_fraction >= 1)
    return result.mode == Mode::timing ? "every warp instruction timed" : "counted; no timing";
  if (result.mode == Mode::counts)
    return fmt::format("counted; caches from {:.2g} % of the lines, traffic within {:.1f} %",
                       100 * result.provenance.sampled_fraction, result.provenance.traffic_error_pct);
  const double cycles = result.metric("gpc__cycles_elapsed.max").value_or(0);
  const auto from = static_cast<double>(result.provenance.cycles_low);
  const auto to = static_cast<double>(result.provenance.cycles_high);
  const double half_width_pct = 100 * std::max(cycles - from, to - cycles) / cycles;
  return fmt::format("sampled: {:.2g} % of the warp instructions timed; cycles {} (± {:.1f} %, 90 % interval)",
                     100 * result.provenance.sampled_fraction, grouped(cycles), half_width_pct);
}

}  // namespace

std::string result_heading(const Result& result) {
  return fmt::format("{} on {}\n{}", result.launch.kernel, result.gpu, parameters(result.launch, ""));
}

std::string how_it_ran(const Result& result) {
  const char* const before =
      result.provenance.cache_control == CacheControl::none ? "; L2 as the same launch before it left it" : "";
  return how_it_was_simulated(result) + before;
}

std::string approximation_lines(const Result& result, const std::string& indent) {
  std::string text;
  for (const std::string& sentence : result.approximations) text += fmt::format("{}  {}\n", indent, sentence);
  return text.empty() ? "" : indent + "approximations:\n" + text;
}

std::string result_table(const std::vector<LabelledResult>& results) {
  const std::vector<Line> lines = lines_of(results);
  std::size_t label_width = 0;
  std::vector<std::size_t> widths(results.size(), 8);
  if (results.size() > 1)
    for (std::size_t i = 0; i < results.size(); ++i) widths[i] = std::max(widths[i], results[i].label.size());
  for (const Line& line : lines) {
    label_width = std::max(label_width, line.label.size());
    for (std::size_t i = 0; i < line.cells.size(); ++i) widths[i] = std::max(widths[i], line.cells[i].size());
  }

  std::string text =
      results.size() == 1 ? result_heading(results.front().result) : "on " + results.front().result.gpu + "\n\n";
  if (results.size() > 1) {
    text += std::string(label_width + 2, ' ');
    for (std::size_t i = 0; i < results.size(); ++i) text += fmt::format("  {:>{}}", results[i].label, widths[i]);
    text += "\n";
  }
  for (const Line& line : lines) {
    if (line.title) {
      text += "\n" + line.label + "\n";
      continue;
    }
    text += fmt::format("  {:<{}}", line.label, label_width);
    for (std::size_t i = 0; i < line.cells.size(); ++i) text += fmt::format("  {:>{}}", line.cells[i], widths[i]);
    text += (line.unit.empty() ? "" : "  " + line.unit) + "\n";
  }
  return text + "\n" + notes(results);
}

}  // namespace tilescope
