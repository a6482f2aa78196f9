#include "sim/results/views/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace tilescope {

std::string timeline_csv(std::vector<FinishedCta> timeline) {
  std::sort(timeline.begin(), timeline.end(), [](const FinishedCta& a, const FinishedCta& b) { return a.cta < b.cta; });
  std::string text = "cta,sm,start,end\n";
  for (const FinishedCta& cta : timeline)
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", cta.cta, cta.sm, cta.start, cta.end);
  return text;
}

std::string timeline_trace(std::vector<FinishedCta> timeline, double sm_mhz) {
  std::sort(timeline.begin(), timeline.end(), [](const FinishedCta& a, const FinishedCta& b) {
    return a.start != b.start ? a.start < b.start : a.cta < b.cta;
  });
  std::map<int, std::vector<Cycle>> free_from;  // by SM: when each of its places is free again
  std::string events;
  for (const FinishedCta& cta : timeline) {
    std::vector<Cycle>& places = free_from[cta.sm];
    auto place = std::find_if(places.begin(), places.end(), [&](Cycle free) { return free <= cta.start; });
    if (place == places.end()) place = places.insert(places.end(), 0);
    *place = cta.end;
    fmt::format_to(std::back_inserter(events), R"(,
{{"name":"CTA {}","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
                   cta.cta, cta.sm, place - places.begin(), static_cast<double>(cta.start) / sm_mhz,
                   static_cast<double>(cta.end - cta.start) / sm_mhz);
  }
  std::string names;
  for (const auto& [sm, places] : free_from)
    fmt::format_to(std::back_inserter(names), R"(,
{{"name":"process_name","ph":"M","pid":{},"args":{{"name":"SM {}"}}}})",
                   sm, sm);
  std::string all = names + events;
  if (!all.empty()) all.erase(0, 1);
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + all + "\n]}\n";
}

}  // namespace tilescope
