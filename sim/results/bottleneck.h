// What kept the kernel from being faster, by mechanism: a resource that was nearly always busy, SMs without work, or
// what warps waited for.
#pragma once

#include <string>
#include <vector>

#include "sim/results/utilisation.h"

namespace tilescope {

struct Bottleneck {
  std::string name;    // a Utilisation's name, "idle_sms", or "latency_" and a Stall's name
  std::string reason;  // one sentence with its numbers
};

// A resource counts as the bottleneck from this utilisation on: above it, queues in front of it decide the time.
inline constexpr double kBusyPercent = 65;

// Nothing is keyed to a kernel: SMs active less than half of the time come first, then the busiest resource from
// kBusyPercent on, then the reason for which warps stood still longest. REQUIRES: a timing run; `all` as utilisations()
// made it.
Bottleneck bottleneck(const MetricSource& source, const std::vector<Utilisation>& all);

}  // namespace tilescope
