#include "sim/studies/measured/measurement_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "sim/results/metrics.h"
#include "sim/studies/measured/measured_unit.h"
#include "sim/studies/measured/measurement_columns.h"

namespace tilescope {
namespace {

using Kind = MeasurementColumn::Kind;
using Columns = std::vector<MeasurementColumn>;

const std::vector<std::string> kOwnColumns = {"kernel", "parameters", "m", "n", "k", "group", "block", "grid"};

bool is_metric(const std::string& name) { return name.find("__") != std::string::npos; }

Kind own_kind(const std::string& name) {
  if (name == "kernel") return Kind::kernel;
  if (name == "parameters") return Kind::parameters;
  if (name == "block") return Kind::block;
  if (name == "grid") return Kind::grid;
  const bool own = std::find(kOwnColumns.begin(), kOwnColumns.end(), name) != kOwnColumns.end();
  return own ? Kind::size : is_metric(name) ? Kind::metric : Kind::ignored;
}

bool is_comment(std::string_view line) { return line.starts_with('#'); }
bool is_profiler_notice(std::string_view line) { return line.starts_with("=="); }

class MeasurementReader {
 public:
  MeasurementReader(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  tl::expected<std::vector<Measurement>, Diagnostics> rows() {
    const bool profiler = find_profiler_header();
    records_ = parse_csv(std::string_view(text_).substr(start_), name_, start_line_,
                         profiler ? is_profiler_notice : is_comment, errors_);
    if (records_.empty() && errors_.empty()) error(0, 0, "is empty; must hold a header and rows of measurements");
    std::size_t first = 1;
    if (!records_.empty()) first = profiler ? profiler_columns() : own_columns();
    std::vector<Measurement> rows;
    if (usable_) {
      for (std::size_t i = first; i < records_.size(); ++i)
        rows.push_back(read_row(records_[i], columns_, name_, errors_));
      if (rows.empty() && errors_.empty()) error(0, 0, "has a header and no row of measurements");
    }
    std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return rows;
  }

 private:
  void error(int line, int column, std::string message) {
    errors_.push_back({name_, line, column, std::move(message)});
  }

  // Whatever the profiled program printed stands before the header, quotes and all.
  bool find_profiler_header() {
    std::string_view rest = text_;
    for (int line = 1; !rest.empty(); ++line) {
      const std::string_view here = rest.substr(0, rest.find('\n'));
      if (here.find("Kernel Name") != std::string_view::npos && !here.starts_with('#')) {
        start_ = text_.size() - rest.size();
        start_line_ = line;
        return true;
      }
      rest.remove_prefix(std::min(here.size() + 1, rest.size()));
    }
    return false;
  }

  void add_column(const CsvField& field, Kind kind, bool texts_are_left_out) {
    if (kind != Kind::ignored && !seen_.emplace(kind, field.text).second)
      error(field.line, field.column, fmt::format("column {}: given twice; must be given once", in_quotes(field.text)));
    columns_.push_back({kind, field.text, 1, texts_are_left_out});
  }

  std::size_t own_columns() {
    for (const CsvField& field : records_.front()) {
      add_column(field, own_kind(field.text), false);
      if (columns_.back().kind != Kind::ignored) continue;
      error(field.line, field.column,
            fmt::format("unknown column {}{}; must be {} or a counter such as gpc__cycles_elapsed.max",
                        in_quotes(field.text), did_you_mean(field.text, kOwnColumns), list_of(kOwnColumns, "or")));
    }
    const bool named =
        std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return c.kind == Kind::kernel; });
    if (!named) {
      const CsvField& first = records_.front().front();
      error(first.line, first.column,
            "no column kernel (or, of Nsight Compute, \"Kernel Name\") in this header; must have one");
    }
    usable_ = named;
    return 1;
  }

  std::size_t profiler_columns() {
    const CsvRecord& header = records_.front();
    for (const CsvField& field : header) {
      if (field.text == "Metric Name") {
        error(field.line, field.column,
              "this is Nsight Compute's details page, one counter a line; must be its raw page (ncu --csv --page raw)");
        return 1;
      }
      Kind kind = own_kind(field.text);
      if (field.text == "Kernel Name") kind = Kind::kernel;
      if (field.text == "Block Size") kind = Kind::block;
      if (field.text == "Grid Size") kind = Kind::grid;
      if (field.text.starts_with("device__attribute") || field.text.starts_with("profiler__")) kind = Kind::ignored;
      add_column(field, kind, true);
    }
    usable_ = true;
    return has_units() ? (read_units(), 2) : 1;
  }

  bool has_units() const {
    if (records_.size() < 2 || records_[1].size() != columns_.size()) return false;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].kind == Kind::kernel) return records_[1][i].text.empty();
    return false;
  }

  void read_units() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      MeasurementColumn& column = columns_[i];
      if (column.kind != Kind::metric) continue;
      const CsvField& field = records_[1][i];
      const auto unit = measured_unit(field.text);
      if (unit)
        column.factor = unit->factor;
      else if (find_metric(column.name) == nullptr)
        column.kind = Kind::ignored;  // not known to this program either
      else
        error(field.line, field.column,
              fmt::format("{}: unknown unit {}; must be one such as byte, Kbyte, ns, msecond, cycle, inst or %",
                          column.name, in_quotes(field.text)));
    }
  }

  const std::string& text_;
  const std::string& name_;
  Diagnostics errors_;
  std::vector<CsvRecord> records_;
  Columns columns_;
  std::set<std::pair<Kind, std::string>> seen_;
  std::size_t start_ = 0;
  int start_line_ = 1;
  bool usable_ = false;
};

}  // namespace

tl::expected<std::vector<Measurement>, Diagnostics> read_measurement_text(const std::string& text,
                                                                          const std::string& name) {
  return MeasurementReader(text, name).rows();
}

tl::expected<std::vector<Measurement>, Diagnostics> read_measurements(const std::vector<std::string>& paths) {
  std::vector<Measurement> all;
  Diagnostics errors;
  for (const std::string& path : paths) {
    const auto text = read_text_file(path, largest_measured_file);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    auto rows = read_measurement_text(*text, path);
    if (rows)
      std::move(rows->begin(), rows->end(), std::back_inserter(all));
    else
      errors.insert(errors.end(), rows.error().begin(), rows.error().end());
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return all;
}

}  // namespace tilescope
