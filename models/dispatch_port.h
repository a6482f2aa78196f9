// The dispatch port of a sub-partition: one instruction per cycle, more when its operands lie in one register bank
// (models/register_banks.h) or when it hands over data (stores, 64-bit multiply-adds). Nothing is dispatched while
// registers that shared memory has filled are written beside arithmetic's own (write_back); a port that stands idle
// then loses nothing.
#pragma once

#include <algorithm>
#include <array>
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
    for (; first_ != last_ && back(first_).when < free_; ++first_)
      if (back(first_).when >= now) free_ += back(first_).cycles;
  }
  // Registers that come at `when` keep the port for `cycles`. REQUIRES: in order of `when`, or nearly so.
  void write_back(Cycle when, Cycle cycles) {
    if (last_ - first_ == kWrites) ++first_;
    back(last_++) = {when, cycles};
  }
  Cycle free() const { return free_; }
  // Of the cycles from `since` to `now`, those for which the port was taken by more than an instruction itself.
  Cycle lost_between(Cycle since, Cycle now) const {
    return std::clamp<Cycle>(free_ - std::max(since, lost_), 0, now - since);
  }

 private:
  static constexpr std::uint32_t kWrites = 64;  // more than loads from shared memory that can be under way
  struct Write {
    Cycle when = 0;
    Cycle cycles = 0;
  };
  Write& back(std::uint32_t i) { return writes_[i % kWrites]; }

  Cycle free_ = 0;  // taken until then
  Cycle lost_ = 0;  // since when, by more than the instruction itself
  RegisterBanks banks_;
  std::array<Write, kWrites> writes_;  // from first_ on, to last_
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace tilescope
