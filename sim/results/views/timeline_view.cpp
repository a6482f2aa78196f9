#include "sim/results/views/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tilescope {

std::string timeline_csv(std::vector<FinishedCta> timeline) {
  std::sort(timeline.begin(), timeline.end(), [](const FinishedCta& a, const FinishedCta& b) { return a.cta < b.cta; });
  std::string text = "cta,sm,start,end\n";
  for (const FinishedCta& cta : timeline)
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", cta.cta, cta.sm, cta.start, cta.end);
  return text;
}

}  // namespace tilescope
