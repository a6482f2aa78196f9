#include "sim/engine/sampling/work_curve.h"

#include <algorithm>

namespace tilescope {

double value_at(const WorkCurve& curve, double instructions) {
  const auto after = std::find_if(curve.begin(), curve.end(), [&](const WorkPoint& p) {
    return static_cast<double>(p.instructions) >= instructions;
  });
  if (after == curve.end()) return curve.empty() ? 0 : static_cast<double>(curve.back().value);
  const WorkPoint before = after == curve.begin() ? WorkPoint{} : *(after - 1);
  const auto step = static_cast<double>(after->instructions - before.instructions);
  const double share = step == 0 ? 1 : (instructions - static_cast<double>(before.instructions)) / step;
  return static_cast<double>(before.value) + share * static_cast<double>(after->value - before.value);
}

double factor(const WorkCurve& detailed, const WorkCurve& coarse, double from, double to) {
  const double in_coarse = value_at(coarse, to) - value_at(coarse, from);
  const double in_detail = value_at(detailed, to) - value_at(detailed, from);
  return in_coarse <= 0 ? 1 : in_detail / in_coarse;
}

}  // namespace tilescope
