// How much of one resource of an SM a CTA's warps can keep busy: mean value analysis of a closed queue.
//
// Each warp of a step needs the resource for its part of the step's service and spends the rest of the time it would
// take alone elsewhere. One warp never waits; with each further one, an arriving warp finds the queue that the others
// would have without it (Reiser and Lavenberg, "Mean-value analysis of closed multichain queueing networks", JACM
// 1980). So a CTA of few warps is bound by their own time, one of many by the resource, and between the two it is a
// little slower than either says.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tilescope {

struct ServiceRate {
  double rate = 1;   // of the resource's time, at most
  double queue = 0;  // warps at the resource on average, when nobody else uses it
};

// `busy`: cycles that the warps need of the resource, all together. `alone`: cycles that one of them takes on an empty
// SM. REQUIRES: warps > 0.
inline ServiceRate service_rate(double busy, double alone, std::size_t warps) {
  const double service = busy / static_cast<double>(warps);
  const double elsewhere = std::max(0.0, alone - service);
  ServiceRate result;
  double time = 0;
  for (std::size_t n = 1; n <= warps; ++n) {
    const double residence = service * (1 + result.queue);
    time = std::max(1.0, residence + elsewhere);
    result.queue = static_cast<double>(n) * residence / time;
  }
  result.rate = std::min(1.0, busy / time);
  return result;
}

}  // namespace tilescope
