// A program whose CTAs pass values to each other (PassedValues) without the products of matrices that only go into
// values that are stored: partial sums beside the flags by which CTAs wait for each other. Whether a store of such a
// value is ever read where it decides something is found out when the grid is executed beforehand: what is stored is
// not known from then on, and a load of it that matters is an error. Then all products are computed after all.
#pragma once

#include "traces/sass/program.h"

namespace tilescope::sass {

// As build_program does. Where CTAs exchange values and products are executed only for what is stored, these are left
// out, and the program that executes them is its `with_products`.
tl::expected<Program, Diagnostics> build_sparing_program(const LinkedCode& code, LaunchState launch, bool all_values);

}  // namespace tilescope::sass
