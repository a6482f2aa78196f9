// One point of a plan, simulated.
#pragma once

#include <functional>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/store.h"

namespace tilescope::sweep {

// Called now and then while a point is simulated; may throw Stopped.
struct Stopped {};
using StopCheck = std::function<void()>;

// `memo` may be null. What can not be configured, made, launched or run to its end is a failure with its reason. Takes
// one thread. Throws only what `check` throws.
StoredResult run_point(const Plan& plan, const PlannedPoint& point, TrafficMemo* memo, const StopCheck& check);

}  // namespace tilescope::sweep
