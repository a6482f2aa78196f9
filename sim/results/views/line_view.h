// Results by line: what each instruction, or each line of source code, adds to the counters.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/results/views/result_csv.h"

namespace tilescope {

//   samples  main reason          executed  requests  sectors/req  ...  wavefronts  excess  address  instruction
//     0.1 %  wait 93 %             262,144                                                     0240  IMAD.WIDE R2, ...
// >  21.4 %  long_scoreboard 88 %  262,144   262,144         4.00  ...     262,144             0250  LDG.E R9, ...
//
// `>` marks lines with a twentieth of all samples or more; a sample is a cycle that a warp stands in front of the line.
// In counts mode the share is that of the L1 data stage's wavefronts. Columns without any value are left out.
// REQUIRES: at least one result; each has `lines`.
std::string line_table(const std::vector<LabelledResult>& results);

// One row per line, one column per counter; docs/result-format.md. REQUIRES: each has `lines`.
std::string line_csv(const std::vector<LabelledResult>& results);

// The array `lines` of a result's JSON.
nlohmann::ordered_json lines_json(const LineReport& report, Mode mode);

// A counter of a line under the metric's name whose total it is a part of.
struct LineMetric {
  std::string name;
  std::uint64_t (*value)(const LineRow& row);
};
const std::vector<LineMetric>& line_metrics();

}  // namespace tilescope
