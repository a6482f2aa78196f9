// What the data do not determine, in words.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/calibrate/determination.h"
#include "sim/studies/calibrate/parameter_choice.h"

namespace tilescope::calibrate {

//   these measurements do not determine the parameters:
//     hbm.turnaround_ns: no effect (predictions change by 0.00 % across its bounds); a copy of much more than L2 holds
//     would show it
//     crossbar.request_cycles and crossbar.response_cycles: not told apart (condition number 5e+08); ...
//     they determine: --parameter crossbar.request_cycles --parameter hbm.latency_ns
// REQUIRES: `found` is not empty. `determined`: by number.
std::string indeterminacy_text(const std::vector<Indeterminacy>& found, const std::vector<ChosenParameter>& parameters,
                               const std::vector<std::size_t>& determined);

}  // namespace tilescope::calibrate
