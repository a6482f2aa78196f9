// A comparison as text, in each of its formats. docs/compare.md shows and explains them.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/compare/comparison.h"
#include "sim/studies/compare/tolerance.h"

namespace tilescope {

// Totals per metric, then each metric with its cases (those predicted exactly are only counted), then the rows that
// were not compared:
//
//   in total                 error  cases  equal  mean  median   p90  worst  bias  log r  <=5 %  <=10 %  <=20 %
//   gpc__cycles_elapsed.max  %         35      0   6.7     5.8  16.2  -25.8  -4.0  0.998     46      77      94
//
//   gpc__cycles_elapsed.max, cycle     predicted  measured   error
//   gemm_naive_col_16x16 512x512x512     118,523   118,435  +0.1 %
//   gemm_naive_col_32x8 512x512x512       78,234   105,452 -25.8 %  worst
std::string compare_table(const Comparison& comparison, const std::vector<Judgement>& judgements);

// One line per case and metric:
// file,line,case,family,metric,unit,predicted,measured,error,error_unit
std::string compare_csv(const Comparison& comparison);

// "schema": "tilescope.compare/1"
std::string compare_json(const Comparison& comparison, const std::vector<Judgement>& judgements);

// A test suite per judged metric, a test per case: failed where its own error is beyond the tolerance; rows not
// compared are skipped tests. Characters beyond ASCII become '?'.
std::string compare_junit(const Comparison& comparison, const std::vector<Judgement>& judgements);

// Predicted against measured, both logarithmic: of the first metric, a point per case, a colour per program or family.
std::string compare_svg(const Comparison& comparison);

// "gpc__cycles_elapsed.max: mean error 6.7 % of 35 cases; must be at most 5 %"
std::string to_string(const Judgement& judgement, const Comparison& comparison);

// "%" or "points".
std::string error_unit(const ComparedMetric& metric);

}  // namespace tilescope
