// A picture of what one CTA does: a row per warp, one per mbarrier that bulk copies bring bytes to, one per tensor
// core, against time.
//
// In a warp's row a colour says what it does or waits for: of the cycles that fall on a point of the picture, what most
// are spent on, but an issue is drawn beside a wait where both share a point. A legend and the scale are in the
// picture.
#pragma once

#include <string>

#include "sim/engine/cta_activity.h"

namespace tilescope {

// An SVG file. `title` stands above. Nothing but the title where the CTA has done nothing.
std::string activity_svg(const CtaActivity& activity, const std::string& title);

}  // namespace tilescope
