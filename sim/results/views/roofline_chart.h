// Kernels under the roofs of a GPU, drawn with characters: both axes logarithmic, a letter per kernel at the operations
// that it does for each byte of each level.
#pragma once

#include <string>

#include "sim/results/views/chart_style.h"
#include "sim/results/views/roofline_view.h"

namespace tilescope {

inline constexpr std::size_t kMostChartedKernels = 26;

// Roofs are the measured ceilings, nominal ones where nothing is measured. REQUIRES: at most kMostChartedKernels.
std::string roofline_chart(const RooflineView& view, const ChartStyle& style);

}  // namespace tilescope
