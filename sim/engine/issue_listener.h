// Who wants to know what an SM issues.
#pragma once

#include "sim/engine/sm_counters.h"

namespace tilescope {

class IssueListener {
 public:
  virtual ~IssueListener() = default;
  // `instruction` has been issued; it took the SM's totals from `before` to `after`.
  virtual void issued(const Instruction& instruction, const WorkCounters& before, const WorkCounters& after) = 0;
};

}  // namespace tilescope
