// The parameters of a GPU that may be fitted, and why each. docs/calibrate.md shows this table.
//
// In here are values that move predictions smoothly: latencies, bandwidths, overheads. Not in here: structure (slices,
// ways, queue entries, sizes) and whole numbers so small that a step of one is no small step (lsu.issue_cycles).
// Which of them are free on one GPU its file decides: those whose source comment says A (assumed) or F (fitted).
#pragma once

#include <string_view>
#include <vector>

namespace tilescope::calibrate {

struct FreeParameter {
  std::string_view key;  // as --set takes it
  double low;            // both in the key's own unit
  double high;
  bool moves_traffic;              // hits, sectors and bytes too; else time alone
  std::string_view bounds_reason;  // why these bounds
  std::string_view determined_by;  // a measurement that tells its value: "a copy of much more than L2 holds"
};

// In the order of the GPU's file.
const std::vector<FreeParameter>& free_parameters();

// nullptr when it is not free.
const FreeParameter* find_free_parameter(std::string_view key);

}  // namespace tilescope::calibrate
