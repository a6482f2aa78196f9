#include "sim/results/line_report.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sim/results/source_files.h"

namespace tilescope {
namespace {

// Second forms of an instruction are added to the first.
std::vector<LineRow> by_instruction(const Kernel& kernel, const std::vector<InstructionCounters>& counters) {
  std::vector<LineRow> rows;
  std::vector<std::size_t> row_of(counters.size());
  for (std::size_t i = 0; i < counters.size(); ++i) {
    InstructionSource source = kernel.source_of(i);
    if (source.index == i) {
      row_of[i] = rows.size();
      rows.push_back({std::move(source), 1, {}});
    }
  }
  for (std::size_t i = 0; i < counters.size(); ++i) rows[row_of[kernel.source_of(i).index]].counters += counters[i];
  return rows;
}

std::vector<LineRow> by_source(const Kernel& kernel, const std::vector<LineRow>& instructions) {
  SourceFiles files(kernel.source_folder());
  std::map<std::string, std::size_t> order;  // of the files
  for (const LineRow& row : instructions) order.try_emplace(row.source.file, order.size());
  std::map<std::pair<std::size_t, int>, LineRow> lines;
  for (const LineRow& row : instructions) {
    const auto [at, is_new] = lines.try_emplace({order[row.source.file], row.source.line});
    LineRow& line = at->second;
    if (is_new) {
      line.source.file = row.source.file;
      line.source.line = row.source.line;
      line.source.text = files.text_of(row.source.file, row.source.line);
      line.instructions = 0;
    }
    ++line.instructions;
    line.counters += row.counters;
  }
  std::vector<LineRow> rows;
  rows.reserve(lines.size());
  for (auto& [place, row] : lines) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

std::uint64_t LineRow::stall_cycles() const {
  return std::accumulate(counters.stall_cycles.begin(), counters.stall_cycles.end(), std::uint64_t{0});
}

std::uint64_t LineRow::excess_wavefronts() const { return counters.shared_wavefronts() - counters.shared_ideal(); }

std::optional<Stall> LineRow::main_stall() const {
  std::optional<Stall> most;
  std::uint64_t cycles = 0;
  for (int i = 0; i < kStalls; ++i) {
    const auto stall = static_cast<Stall>(i);
    const std::uint64_t own = counters.stall_cycles[static_cast<std::size_t>(i)];
    if (stall == Stall::selected || own <= cycles) continue;
    most = stall;
    cycles = own;
  }
  return most;
}

double LineReport::heat(const LineRow& row) const {
  const bool timed = total.stall_cycles() != 0;
  const auto whole = static_cast<double>(timed ? total.stall_cycles() : total.counters.data_wavefronts);
  return whole == 0 ? 0 : static_cast<double>(timed ? row.stall_cycles() : row.counters.data_wavefronts) / whole;
}

void LineReport::keep_hottest(std::size_t count) {
  std::stable_sort(rows.begin(), rows.end(), [this](const LineRow& a, const LineRow& b) {
    const double hot_a = heat(a), hot_b = heat(b);
    return hot_a != hot_b ? hot_a > hot_b : a.counters.executed > b.counters.executed;
  });
  if (rows.size() > count) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
}

bool knows_source_lines(const Kernel& kernel) {
  for (std::size_t i = 0; i < kernel.code().size(); ++i)
    if (!kernel.source_of(i).file.empty()) return true;
  return false;
}

LineReport report_lines(const Kernel& kernel, const std::vector<InstructionCounters>& instructions, By by) {
  LineReport report;
  report.by = by;
  report.rows = by_instruction(kernel, instructions);
  report.total.instructions = report.rows.size();
  for (const LineRow& row : report.rows) report.total.counters += row.counters;
  if (by == By::source) report.rows = by_source(kernel, report.rows);
  return report;
}

}  // namespace tilescope
