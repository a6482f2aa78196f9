// How large the mean error of a metric may be.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/studies/compare/comparison.h"

namespace tilescope {

struct Tolerance {
  std::string metric;  // "": cycles, and time where that stands in for them
  double limit = 0;    // percent, or percentage points
};

// "5%" or "dram__bytes_read.sum=10%", or one sentence.
tl::expected<Tolerance, std::string> parse_tolerance(const std::string& text);

struct Judgement {
  std::size_t metric = 0;  // index into Comparison::metrics
  double limit = 0;
  bool within = false;  // the mean absolute error is, and every case has an error
};

// One for each metric that a tolerance names; one sentence where no case has it.
tl::expected<std::vector<Judgement>, std::string> judge(const Comparison& comparison,
                                                        const std::vector<Tolerance>& tolerances);

}  // namespace tilescope
