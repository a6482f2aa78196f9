#include "sim/studies/measured/measurement_columns.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "sim/studies/measured/measured_number.h"

namespace tilescope {
namespace {

using Kind = MeasurementColumn::Kind;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::int64_t> positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stopped != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

std::optional<Dim3> dimensions(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::array<std::int64_t, 3> size{1, 1, 1};
  for (std::size_t i = 0; i < size.size(); ++i) {
    const std::size_t comma = text.find(',');
    const auto value = positive(trimmed(text.substr(0, comma)));
    if (!value) return std::nullopt;
    size[i] = *value;
    if (comma == std::string_view::npos) return Dim3{size[0], size[1], size[2]};
    text.remove_prefix(comma + 1);
  }
  return std::nullopt;  // a fourth
}

class Row {
 public:
  Row(Measurement& into, const std::string& file, Diagnostics& errors) : into_(into), file_(file), errors_(errors) {}

  void read(const CsvField& field, const MeasurementColumn& column) {
    const std::string text(trimmed(field.text));
    if (column.kind == Kind::kernel && text.empty()) return refuse(field, column, "a kernel's name");
    if (text.empty()) return;
    switch (column.kind) {
      case Kind::kernel:
        into_.kernel = text;
        return;
      case Kind::block:
      case Kind::grid:
        (column.kind == Kind::grid ? into_.grid : into_.block) = dimensions(text);
        if (!dimensions(text)) refuse(field, column, "three whole numbers such as (32, 32, 1)");
        return;
      case Kind::size:
        if (!positive(text)) return refuse(field, column, "a whole number of at least 1");
        into_.columns[column.name] = text;
        return;
      case Kind::parameters:
        return parameters(field, column, text);
      case Kind::metric:
        return metric(field, column, text);
      case Kind::ignored:
        return;
    }
  }

 private:
  void refuse(const CsvField& field, const MeasurementColumn& column, const std::string& wanted) {
    errors_.push_back({file_, field.line, field.column,
                       fmt::format("{}: got {}; must be {}", column.name, in_quotes(field.text), wanted)});
  }

  void parameters(const CsvField& field, const MeasurementColumn& column, std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find(';');
      const std::string_view one = trimmed(text.substr(0, end));
      const std::size_t equals = one.find('=');
      if (!one.empty()) {
        if (equals == 0 || equals == std::string_view::npos || equals + 1 == one.size())
          return refuse(field, column, "key=value;key=value");
        const std::string key(trimmed(one.substr(0, equals)));
        const std::string value(trimmed(one.substr(equals + 1)));
        if (!into_.parameters.emplace(key, value).second)
          return refuse(field, column, fmt::format("key=value;key=value with every key once ({} is given twice)", key));
        into_.columns[key] = value;
      }
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  void metric(const CsvField& field, const MeasurementColumn& column, std::string_view text) {
    if (column.texts_are_left_out && text.find_first_of("0123456789.+-") != 0) return;
    const auto value = measured_number(text);
    if (!value || *value < 0) return refuse(field, column, "a number, 0 or more");
    const double base = *value * column.factor;
    if (!std::isfinite(base)) return refuse(field, column, "a number that fits a double in its base unit");
    into_.metrics[column.name] = base;
  }

  Measurement& into_;
  const std::string& file_;
  Diagnostics& errors_;
};

}  // namespace

Measurement read_row(const CsvRecord& record, const std::vector<MeasurementColumn>& columns, const std::string& file,
                     Diagnostics& errors) {
  Measurement row;
  row.file = file;
  row.line = record.front().line;
  if (record.size() != columns.size()) {
    errors.push_back({file, row.line, record.front().column,
                      fmt::format("got {} fields; must be {}, as in the header", record.size(), columns.size())});
    return row;
  }
  Row reader(row, file, errors);
  for (std::size_t i = 0; i < columns.size(); ++i) reader.read(record[i], columns[i]);
  return row;
}

}  // namespace tilescope
