// How a report sums up many measurements of one thing: their mean and chosen percentiles, as rows mean, p1, p10, ...; a
// median.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "report.h"

namespace tilescope::gpu {

// `values` are cycles and not empty. Percentile p is the least value that at least p % of them do not exceed.
inline void report_distribution(Report& report, const std::string& benchmark, const std::string& the_case,
                                std::vector<unsigned> values, std::initializer_list<int> percentiles) {
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  report.scalar(benchmark, the_case, "mean", sum / static_cast<double>(values.size()), "cycle");
  for (const int p : percentiles) {
    const std::size_t rank = (values.size() * p + 99) / 100;  // of 1, 2, ...
    report.scalar(benchmark, the_case, ("p" + std::to_string(p)).c_str(), values[rank - 1], "cycle");
  }
}

// `values` are not empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace tilescope::gpu
