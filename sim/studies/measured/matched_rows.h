// Measured rows beside the built-in kernels that model them.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/measured/kernel_mapping.h"
#include "sim/studies/measured/measurement.h"

namespace tilescope {

struct MatchedRow {
  Measurement measured;
  MappedKernel mapped;  // with the row's grid and block; make_kernel(mapped) succeeds, but for launches of a bundle
  // Of a launch of a bundle; else "":
  std::string program = {};
  std::string label = {};  // "train#12 softmax"
};

struct UnmatchedRow {
  Measurement measured;
  std::string reason;  // one sentence
};

struct MatchedRows {
  std::vector<MatchedRow> matched;  // both in the rows' order
  std::vector<UnmatchedRow> unmatched;
};

// A row stays unmatched when the mapping has nothing for it, when the kernel refuses the parameters, or when the
// kernel's grid or block differ from the measured ones: then it is not the same launch.
MatchedRows match_rows(std::vector<Measurement> rows, const KernelMapping& mapping);

}  // namespace tilescope
