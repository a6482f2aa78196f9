// Whether measurements determine the parameters fitted to them, and how well.
//
// Judged from the residuals' sensitivity at a point. Columns are scaled before they are compared, so units do not
// matter: by the bounds' distance for "has it an effect", to unit length for "can they be told apart". The model's
// scatter makes columns that are alike look different; what it adds is taken off first.
#pragma once

#include <vector>

#include "sim/studies/calibrate/sensitivity.h"

namespace tilescope::calibrate {

// The largest change of any prediction (relative), across all of a parameter's bounds, that counts as no effect.
inline constexpr double kNoEffect = 1e-3;
// Second difference over first, from which on an effect is the model's own scatter: for nothing but scatter the
// expected ratio is 1.73, for a kink that the step straddles 1, for a line 0.
inline constexpr double kAllScatter = 1.4;
// Condition number of the columns at unit length, beyond which parameters cannot be told apart: that of two columns
// with a cosine of 0.998 (Belsley, Kuh, Welsch 1980: damage begins at 30).
inline constexpr double kIllConditioned = 30;

struct Indeterminacy {
  enum class Kind { too_few_residuals, no_effect, scatter, not_told_apart, wider_than_bounds } kind;
  std::vector<std::size_t> parameters;  // concerned, by number; empty: all
  std::vector<double>
      steps;          // not_told_apart: of each parameter, in its own unit; together they cancel; the first is 1
  double figure = 0;  // the effect, ratio, condition number (infinity: all scatter) or width that was judged
};

// Of single parameters alone: no_effect and scatter. For the start of a fit.
std::vector<Indeterminacy> without_effect(const std::vector<FitParameter>& parameters, const Sensitivity& sensitivity);

// Empty: determined. `residuals`: how many there are.
std::vector<Indeterminacy> indeterminacies(const std::vector<FitParameter>& parameters, const Sensitivity& sensitivity,
                                           std::size_t residuals);

// A set of parameters, by number, that the data do determine: those with an effect, the most independent first, while
// they can be told apart from those before.
std::vector<std::size_t> determined_subset(const std::vector<FitParameter>& parameters, const Sensitivity& sensitivity);

}  // namespace tilescope::calibrate
