// What the result table shows, in which order, and how each value is written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/result.h"

namespace tilescope {

enum class Notation : std::uint8_t {
  count,   // 33,554,432
  real,    // 12.3
  scaled,  // with one prefix for the whole row: bytes, time
};

struct TableRow {
  std::string label;
  std::string unit;
  Notation notation = Notation::real;
  std::function<std::optional<double>(const Result&)> value;
  std::function<std::string(const Result&)> text;  // in place of value, where set
};

struct TableGroup {
  std::string title;
  std::vector<TableRow> rows;
  bool always = false;     // shown even when every value is zero
  bool only_busy = false;  // rows of zeros are left out
};

const std::vector<TableGroup>& table_groups();

}  // namespace tilescope
