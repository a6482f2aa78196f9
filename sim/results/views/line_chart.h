// Series of points over a number, as lines with marks.
//
//   tflops [TFLOP/s]
//    30╴│                    ●
//    20╴│         ⣀⣀⠤⠤⠒⠒⠉⠉
//    10╴│⠤⠔⠒⠊⠉⠉
//     0╴│
//       └┬───────────────────┬
//        64                128
//                 bm
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/results/views/chart_style.h"

namespace tilescope {

struct ChartSeries {
  std::string label;                              // empty: the only one
  std::vector<std::pair<double, double>> points;  // by x
};

struct LineChart {
  std::string x_name, y_name;  // with units
  std::vector<ChartSeries> series;
  bool logarithmic_y = false;  // REQUIRES: every y is above 0
};

// x is logarithmic where all are above 0 and the greatest is more than eight times the least. REQUIRES: at least one
// point, at most kMostSeries series.
std::string line_chart(const LineChart& chart, const ChartStyle& style);

}  // namespace tilescope
