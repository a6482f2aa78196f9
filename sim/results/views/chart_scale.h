// From values to places along an axis of a chart, and the values that stand beside it.
#pragma once

#include <string>
#include <vector>

namespace tilescope {

struct ChartScale {
  double low = 0, high = 1;  // at the ends of the axis
  bool logarithmic = false;

  double share(double value) const;  // 0 at `low`, 1 at `high`
};

// Round values, at most `most`, from the scale's low to its high: multiples of 1, 2 or 5 and a power of ten; of a
// logarithmic scale powers of ten.
std::vector<double> round_values(const ChartScale& scale, int most);

// A linear scale over the values that ends at round ones; from 0 unless some are negative.
ChartScale scale_from_zero(double least, double greatest, int most_values);

// "1.5M", "250", "0.02": four digits and the prefix of a power of 1000.
std::string axis_number(double value);

}  // namespace tilescope
