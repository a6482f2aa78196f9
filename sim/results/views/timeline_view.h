// When each CTA ran, and where.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/finished_cta.h"

namespace tilescope {

// cta,sm,start,end
// 0,0,0,91838
//
// Cycles of the SM clock; in the order of the CTAs' numbers.
std::string timeline_csv(std::vector<FinishedCta> timeline);

// For Chrome's about:tracing and Perfetto: a process per SM, a thread per place of a resident CTA, microseconds.
std::string timeline_trace(std::vector<FinishedCta> timeline, double sm_mhz);

}  // namespace tilescope
