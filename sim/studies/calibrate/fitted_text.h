// A GPU's file with its fitted values in place: every other byte as it was.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"
#include "sim/studies/calibrate/calibration.h"
#include "sim/studies/calibrate/gpu_file.h"

namespace tilescope::calibrate {

// Each fitted value replaced where it stands, and the comment on its line by where the value now comes from:
//
//   latency_ns: 128.4         # F: fitted to h200.csv (31 cases), 135 -> 128.4, 95 % interval 120.1 to 136.7
//
// The text is read back before it is given: what it says is the fitted GPU, or the answer is an error.
tl::expected<std::string, Diagnostics> fitted_text(const GpuFile& file, const Calibration& calibration);

}  // namespace tilescope::calibrate
