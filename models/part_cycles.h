// A cost that is a fraction of a cycle, on a resource that is taken by whole cycles: fractions add up until they make
// one.
#pragma once

#include "models/support/units.h"

namespace tilescope {

class PartCycles {
 public:
  // REQUIRES: not negative.
  explicit PartCycles(double cycles) : each_(to_ticks(cycles)) {}
  // What the next one costs.
  Cycle next() {
    owed_ += each_;
    const Cycle whole = owed_ / kCycle;
    owed_ -= whole * kCycle;
    return whole;
  }

 private:
  Tick each_;
  Tick owed_;
};

}  // namespace tilescope
