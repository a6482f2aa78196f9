// A CTA's stay on an SM.
#pragma once

#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

struct FinishedCta {
  std::int64_t cta = 0;
  Cycle start = 0;
  Cycle end = 0;
  int sm = 0;
  Cycle left = 0;    // the end, in cycles that the SM has had
  Cycle stored = 0;  // when the SM meant to send the last of its stores; 0: none, or they have left by the end
};

}  // namespace tilescope
