// Rows of a table chosen: by a formula, by a metric, or as the Pareto front of several.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/sweep/point_expression.h"
#include "sim/studies/sweep/sweep_table.h"

namespace tilescope::sweep {

// Rows for which the formula holds; names are columns. A row without a value of one of the names is left out. Throws
// ExpressionError, also for a name that is no column.
SweepTable rows_where(SweepTable table, const std::string& formula);

// What is good: a column and its direction.
struct Goal {
  std::string column;
  bool most = false;  // the greater, the better
};

// "tflops", "dram__bytes_read.sum:min": without a direction, throughput, hit rates and occupancy are best high,
// everything else low. Throws std::invalid_argument for a direction that is none.
Goal goal_of(const std::string& text);

// The rows with a value of the goal's column, best first; of equals the first in the study. Throws
// std::invalid_argument for a column that the table does not have.
SweepTable best_rows(SweepTable table, const Goal& goal);

// The rows that no other row beats: none is as good in every goal and better in one. Best first by the first goal.
SweepTable pareto_rows(SweepTable table, const std::vector<Goal>& goals);

// Names of the parameters, GPUs, kernels and studies that differ between rows.
std::vector<std::string> varying_columns(const SweepTable& table);

}  // namespace tilescope::sweep
