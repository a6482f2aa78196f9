// Reads files of measurements, of either kind (told apart by the header):
//
//   Nsight Compute   ncu --csv --page raw: lines that begin with == and whatever the program printed before the header
//                    are left out; a row of units follows the header and is honoured; cells that are no numbers
//                    (names, "n/a") are left out
//   this project's   # comments, then kernel,parameters,m,n,k,group,block,grid and metrics, in any order; all but
//                    kernel may be missing; base units; block and grid as "(32, 32, 1)"; parameters as
//                    "key=value;key=value"
//
//   gemm.csv:4:61: error: gpc__cycles_elapsed.max: got '12x'; must be a number
//
// Every error of a file comes in one run, sorted by position.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/studies/measured/measurement.h"

namespace tilescope {

inline constexpr std::size_t largest_measured_file = std::size_t{32} << 20;  // bytes

// The rows in their order. A file with a header and no row is an error.
tl::expected<std::vector<Measurement>, Diagnostics> read_measurement_text(const std::string& text,
                                                                          const std::string& name);
// All files' rows, one file after the other; the errors of all of them together.
tl::expected<std::vector<Measurement>, Diagnostics> read_measurements(const std::vector<std::string>& paths);

}  // namespace tilescope
