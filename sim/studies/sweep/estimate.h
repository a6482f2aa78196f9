// How long the rest of a plan will take.
#pragma once

#include <vector>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {

struct Estimate {
  double seconds = 0;      // of work for one thread
  std::size_t points = 0;  // it is taken from
  bool timed = false;      // they were run for it; otherwise the store knew their times
  bool at_least = false;   // a point took longer than the estimate was ready to wait
};

// From the stored times of this plan's points where there are several, else from running some of `missing`, evenly
// spread, for a few seconds; their results are not kept. `store` may be null.
Estimate estimate_work(const Plan& plan, const Store* store, const std::vector<std::size_t>& missing);

}  // namespace tilescope::sweep
