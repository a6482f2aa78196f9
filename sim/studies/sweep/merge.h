// Several stores brought together in one.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {

// Adds everything of `from` to `into`; a result that both have stays, a failure gives way to a success. Where both have
// the study's points, they must be the same ones: std::invalid_argument otherwise, unless the study is `planned`.
void merge_store(Store& into, const Store& from, const std::string& planned);

struct MissingPoint {
  StoredPoint point;
  std::string reason;  // of a failure; empty: there is no result
};

// The points without a result, and those that failed, by study and position.
std::vector<MissingPoint> missing_or_failed(const Store& store);

}  // namespace tilescope::sweep
