// The results of a store as a table: one row per point that has a result, in the order of the study.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {

enum class ColumnKind : std::uint8_t { label, parameter, status, metric, derived, provenance };

struct TableColumn {
  std::string name;
  std::string unit;  // may be empty
  ColumnKind kind = ColumnKind::label;
};

// study, kernel, gpu, parameters as they first appear, status, reason, metrics and derived values in the registries'
// order, provenance. Cells are texts, numbers in their shortest exact notation; empty: the point has no such value.
struct SweepTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;

  std::optional<std::size_t> find(const std::string& column) const;
};

struct TableOptions {
  std::string study;  // empty: all of the store's
  bool wall = false;  // also program version and seconds of work, which differ from run to run
};

// Throws std::invalid_argument when the store has no study of that name.
SweepTable sweep_table(const Store& store, const TableOptions& options);

// The table with these columns, in this order. Throws std::invalid_argument for one that it does not have.
SweepTable with_columns(SweepTable table, const std::vector<std::string>& names);

}  // namespace tilescope::sweep
