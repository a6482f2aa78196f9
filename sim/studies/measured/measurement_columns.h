// What each column of a file of measurements holds, and the reading of one row's cells.
#pragma once

#include <string>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/studies/measured/csv_text.h"
#include "sim/studies/measured/measurement.h"

namespace tilescope {

struct MeasurementColumn {
  enum class Kind : std::uint8_t { kernel, block, grid, size, parameters, metric, ignored };
  Kind kind = Kind::ignored;
  std::string name;
  double factor = 1;                // metric: to base units
  bool texts_are_left_out = false;  // metric: a cell that does not look like a number is absent, not an error
};

// The row's cells by their columns; what is wrong with them goes to `errors`. A row of the wrong length is one error.
Measurement read_row(const CsvRecord& record, const std::vector<MeasurementColumn>& columns, const std::string& file,
                     Diagnostics& errors);

}  // namespace tilescope
