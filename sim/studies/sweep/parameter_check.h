// A study's parameters and constraints held against its kernels and GPUs, and handed to the kernels they apply to.
#pragma once

#include <string_view>

#include "sim/studies/sweep/axis_reader.h"
#include "sim/studies/sweep/study.h"

namespace tilescope::sweep {

// What the names of axes that are no parameters of a kernel begin with.
inline constexpr std::string_view kGpu = "gpu.";
inline constexpr std::string_view kLaunch = "launch.";

struct Taker {
  Study& study;
  StudyKernel* only;       // the one kernel in whose map it stands; null: every kernel that has the names
  bool all_kernels_known;  // otherwise a name that no kernel has may be that of one that could not be read
};

// Adds the axis to the kernels that have its names (projected onto those a kernel has), in place of earlier axes of the
// same names. What is wrong with names and values goes to `errors`.
void take_axis(const PlacedAxis& axis, const std::string& prefix, const Taker& taker, Diagnostics& errors);

// Adds the constraint to the kernels that have all its names. `place` is that of the formula's first character.
void take_constraint(const std::string& formula, const Place& place, const Taker& taker, Diagnostics& errors);

}  // namespace tilescope::sweep
