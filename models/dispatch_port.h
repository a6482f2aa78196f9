// The dispatch port of a sub-partition: one instruction per cycle, more when its operands lie in one register bank
// (models/register_banks.h) or when it hands over data (stores, 64-bit multiply-adds).
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/register_banks.h"
#include "models/support/units.h"

namespace tilescope {

class DispatchPort {
 public:
  // Issues an instruction at `now` that takes the port for `cycles`; `register_reads` as Instruction has them.
  void take(Cycle now, Cycle cycles, std::uint8_t register_reads) {
    lost_ = now + 1;
    free_ = std::max(now + cycles, banks_.fetch(register_reads, now));
  }
  Cycle free() const { return free_; }
  // Of the cycles from `since` to `now`, those for which the port was taken by more than an instruction itself.
  Cycle lost_between(Cycle since, Cycle now) const {
    return std::clamp<Cycle>(free_ - std::max(since, lost_), 0, now - since);
  }

 private:
  Cycle free_ = 0;  // taken until then
  Cycle lost_ = 0;  // since when, by more than the instruction itself
  RegisterBanks banks_;
};

}  // namespace tilescope
