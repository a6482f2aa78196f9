#include "sim/studies/report/sm_occupancy.h"

#include <algorithm>

namespace tilescope::report {

using Json = nlohmann::ordered_json;

Json sm_occupancy(const std::vector<FinishedCta>& timeline, std::int64_t ctas_of_launch, std::int64_t sms,
                  std::size_t most_cells) {
  if (timeline.empty()) return nullptr;
  Cycle last = 1;
  for (const FinishedCta& cta : timeline) {
    last = std::max(last, cta.end);
    sms = std::max<std::int64_t>(sms, cta.sm + 1);
  }
  const auto bins = static_cast<Cycle>(std::clamp<std::size_t>(most_cells / static_cast<std::size_t>(sms), 8, 96));
  const Cycle wide = (last + bins - 1) / bins;
  const auto used = static_cast<std::size_t>((last + wide - 1) / wide);
  std::vector<std::vector<Cycle>> cycles(static_cast<std::size_t>(sms), std::vector<Cycle>(used, 0));
  Cycle most = 0;
  for (const FinishedCta& cta : timeline)
    for (Cycle bin = cta.start / wide; bin * wide < cta.end; ++bin) {
      Cycle& held = cycles[static_cast<std::size_t>(cta.sm)][static_cast<std::size_t>(bin)];
      held += std::min(cta.end, (bin + 1) * wide) - std::max(cta.start, bin * wide);
      most = std::max(most, held);
    }
  return {{"ctas", timeline.size()}, {"of", ctas_of_launch}, {"sms", sms}, {"bin_cycles", wide}, {"bins", used},
          {"most_cta_cycles", most}, {"cta_cycles", cycles}};
}

}  // namespace tilescope::report
