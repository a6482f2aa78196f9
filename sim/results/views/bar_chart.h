// A bar for each word, for each series of it.
//
//   tflops [TFLOP/s]
//   row      ███████████████████▌          21.3
//   morton   ██████████████████████████▎   28.9
#pragma once

#include <string>
#include <vector>

#include "sim/results/views/chart_style.h"

namespace tilescope {

struct ChartBar {
  std::string word, series;  // series: empty where there is only one
  double value = 0;
};

// In the order given; a word that is the same as the one before it is not repeated. Bars begin at 0; a value below it
// has none.
std::string bar_chart(const std::string& name, const std::vector<ChartBar>& bars, const ChartStyle& style);

}  // namespace tilescope
