// `tilescope plot STORE...`: a metric of stored points over one of their parameters.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/results/views/chart_style.h"

namespace tilescope::cli {

// Lines where the values of --x are numbers, bars where they are words.
std::string sweep_plot(const Values& values, const std::vector<std::string>& stores, const ChartStyle& style);

}  // namespace tilescope::cli
