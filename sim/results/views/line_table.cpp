#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/results/views/line_view.h"
#include "sim/results/views/number_text.h"
#include "sim/results/views/result_table.h"

namespace tilescope {
namespace {

constexpr double kHot = 0.05;          // share of the samples
constexpr double kLeastReason = 0.05;  // share of a line's samples
constexpr std::size_t kLeastGap = 3;   // lines never executed, shown as one

struct Column {
  std::string title;
  bool left = false;
  std::vector<std::string> cells;  // of the rows, then of the total
  std::size_t width = 0;
};

std::string count(std::uint64_t value) { return value == 0 ? "" : grouped(static_cast<double>(value)); }

double ratio(std::uint64_t part, std::uint64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

std::string reason(const LineRow& row) {
  const auto stall = row.main_stall();
  if (!stall) return "";
  const double share = ratio(row.counters.stall_cycles[static_cast<std::size_t>(*stall)], row.stall_cycles());
  return share < kLeastReason ? "" : fmt::format("{} {:.0f} %", name(*stall), 100 * share);
}

std::string place(const InstructionSource& source) {
  return fmt::format("{}:{}", std::filesystem::path(source.file).filename().string(), source.line);
}

class Table {
 public:
  Table(const LineReport& report, bool timed) : report_(report) {
    add(timed ? "samples" : "share", [&](const LineRow& row) {
      const double heat = report.heat(row);
      return heat == 0 ? "" : fmt::format("{:.1f} %", 100 * heat);
    });
    add("main reason", reason, true);
    add("executed", [](const LineRow& row) { return count(row.counters.executed); });
    const auto requests = [](const LineRow& row) { return row.counters.line_requests(); };
    const auto sectors = [](const LineRow& row) { return row.counters.line_sectors(); };
    add("requests", [&](const LineRow& row) { return count(requests(row)); });
    add("sectors/req", [&](const LineRow& row) {
      return requests(row) == 0 ? "" : fmt::format("{:.2f}", ratio(sectors(row), requests(row)));
    });
    add("L1 hit", [](const LineRow& row) {
      const WorkCounters& c = row.counters;
      return c.load_sectors() == 0 ? "" : fmt::format("{:.1f} %", 100 * ratio(c.hit_sectors(), c.load_sectors()));
    });
    add("L2 sectors",
        [](const LineRow& row) { return count(row.counters.fill_sectors + row.counters.sent_sectors()); });
    add("wavefronts", [](const LineRow& row) { return count(row.counters.data_wavefronts); });
    add("excess", [](const LineRow& row) { return count(row.excess_wavefronts()); });
    if (report.by == By::instruction)
      add_instructions();
    else
      add_source_lines();
  }

  std::string text() const {
    std::string text = line(" ", [](const Column& c) { return c.title; });
    for (std::size_t i = 0; i < report_.rows.size(); ++i) {
      const std::size_t unused = never_executed(i);
      if (unused >= kLeastGap) {
        text += fmt::format("  ... {} never executed\n", unused);
        i += unused - 1;
        continue;
      }
      text += line(report_.heat(report_.rows[i]) >= kHot ? ">" : " ", [i](const Column& c) { return c.cells[i]; });
    }
    return text + line(" ", [](const Column& c) { return c.cells.back(); });
  }

 private:
  template <class Cell>
  void add(std::string title, Cell cell, bool left = false) {
    Column column{std::move(title), left, {}, 0};
    for (const LineRow& row : report_.rows) column.cells.push_back(cell(row));
    if (std::all_of(column.cells.begin(), column.cells.end(), [](const std::string& c) { return c.empty(); })) return;
    column.cells.push_back(cell(report_.total));
    column.width = column.title.size();
    for (const std::string& one : column.cells) column.width = std::max(column.width, one.size());
    columns_.push_back(std::move(column));
  }

  void add_instructions() {
    const auto first = report_.rows.empty() ? std::nullopt : report_.rows.front().source.address;
    const auto is_total = [this](const LineRow& row) { return &row == &report_.total; };
    add(first ? "address" : "index", [=](const LineRow& row) {
      if (is_total(row)) return std::string();
      return row.source.address ? fmt::format("{:04x}", *row.source.address) : fmt::format("{}", row.source.index);
    });
    add(
        "source",
        [](const LineRow& row) {
          const InstructionSource& s = row.source;
          return s.file.empty() ? "" : place(s);
        },
        true);
    add(
        "instruction", [=](const LineRow& row) { return is_total(row) ? "all" : row.source.text; }, true);
  }

  void add_source_lines() {
    add(
        "line",
        [this](const LineRow& row) {
          if (&row == &report_.total) return std::string("all");
          return row.source.file.empty() ? "no line known" : place(row.source);
        },
        true);
    add(
        "source", [](const LineRow& row) { return row.source.text; }, true);
  }

  // How many rows from here on.
  std::size_t never_executed(std::size_t from) const {
    std::size_t end = from;
    while (end < report_.rows.size() && report_.rows[end].counters.executed == 0) ++end;
    return end - from;
  }

  template <class Cell>
  std::string line(const std::string& mark, Cell cell) const {
    std::string text = mark;
    for (const Column& column : columns_)
      text += column.left ? fmt::format("  {:<{}}", cell(column), column.width)
                          : fmt::format("  {:>{}}", cell(column), column.width);
    return text.erase(text.find_last_not_of(' ') + 1) + "\n";
  }

  const LineReport& report_;
  std::vector<Column> columns_;
};

}  // namespace

std::string line_table(const std::vector<LabelledResult>& results) {
  std::string text;
  for (const LabelledResult& one : results)
    text += (text.empty() ? "" : "\n") + result_heading(one.result) + "\n" +
            Table(*one.result.lines, one.result.mode == Mode::timing).text() + "\n" + how_it_ran(one.result) + "\n" +
            approximation_lines(one.result, "");
  return text;
}

}  // namespace tilescope
