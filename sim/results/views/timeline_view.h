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

}  // namespace tilescope
