// How far a run had come by the work it had done, and two runs compared over the same work.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

// Both members ascend along a curve.
struct WorkPoint {
  std::int64_t value = 0;  // the clock, or something counted
  std::uint64_t instructions = 0;
};
using WorkCurve = std::vector<WorkPoint>;

// What the curve says at this much work, between its points.
double value_at(const WorkCurve& curve, double instructions);

// What the detailed run adds over what the coarse one adds for the work between `from` and `to`.
double factor(const WorkCurve& detailed, const WorkCurve& coarse, double from, double to);

}  // namespace tilescope
