#include "sim/studies/explain/explanation.h"

#include <algorithm>
#include <array>

namespace tilescope::explain {

std::string_view name(Problem problem) {
  static constexpr std::array<std::string_view, 6> kNames = {"bank_conflicts", "wasted_sectors", "refetched_lines",
                                                             "occupancy",      "latency",        "idle_sms"};
  return kNames[static_cast<std::size_t>(problem)];
}

std::string_view name(Verdict verdict) {
  static constexpr std::array<std::string_view, 4> kNames = {"worth it", "no difference", "slower",
                                                             "can not be launched"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name(Trial::How how) {
  static constexpr std::array<std::string_view, 5> kNames = {"parameters", "addresses", "order", "launch", "bound"};
  return kNames[static_cast<std::size_t>(how)];
}

double Finding::saved_pct() const {
  double most = bound && problem != Problem::latency ? bound->saved_pct : 0;
  for (const Trial& fix : fixes)
    if (fix.verdict != Verdict::not_launchable) most = std::max(most, fix.saved_pct);
  return std::max(most, 0.0);
}

}  // namespace tilescope::explain
