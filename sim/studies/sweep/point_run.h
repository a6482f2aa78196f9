// One point of a plan, simulated.
#pragma once

#include <functional>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {

// Called now and then while a point is simulated, with the share that is done; may throw BatchStopped.
using PointProgress = std::function<void(double fraction)>;

// `memo` may be null. What can not be configured, made, launched or run to its end is a failure with its reason. Takes
// one thread. Throws only what `progress` throws.
StoredResult run_point(const Plan& plan, const PlannedPoint& point, TrafficMemo* memo, const PointProgress& progress);

}  // namespace tilescope::sweep
