// A calibration as people and as programs read it.
#pragma once

#include <string>

#include "sim/studies/calibrate/calibration.h"
#include "sim/studies/compare/error_statistics.h"

namespace tilescope::calibrate {

enum class When { before, after };
ErrorStatistics summarise_errors(const std::vector<CaseResidual>& residuals, When when);  // in %
double worst_error(const std::vector<CaseResidual>& residuals, When when);                // %, without a sign

// NVIDIA H100 SXM5 (configs/gpus/h100.yaml), fitted to made.csv: 7 cases, 7 values, 3 parameters
//
// error             mean   median      p90    worst
//   before       7.85 %   8.78 %  12.64 %  12.64 %
//   after        0.00 %   0.00 %   0.02 %   0.02 %
//
// parameter                           unit            before    after   95 % interval         bounds
//   hbm.turnaround_ns                 ns                  15    25.03   24.99 to 25.07        0 to 80
// ...
std::string calibration_table(const Calibration& calibration);

// {"schema": "tilescope.calibration/1", ...}, ended by a newline; docs/calibrate.md names every key.
std::string calibration_json(const Calibration& calibration);

std::string_view stop_text(Stop stop);

}  // namespace tilescope::calibrate
