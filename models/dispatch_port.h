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
#include "models/taken_cycles.h"

namespace tilescope {

class DispatchPort {
 public:
  // Issues an instruction at `now` that takes the port for `cycles`; `register_reads` as Instruction has them.
  void take(Cycle now, Cycle cycles, std::uint8_t register_reads) {
    free_ = std::max(now + cycles, banks_.fetch(register_reads, now));
    if (next_write_ < free_) give_way(now);
    if (free_ > now + 1) lost_.take(now + 1, free_);
  }
  // Registers that come at `when` keep the port for `cycles`, at most 255. REQUIRES: in order of `when`, or nearly so.
  void write_back(Cycle when, Cycle cycles) {
    if (last_ - first_ == kWrites) ++first_;
    back(last_++) = when << 8 | cycles;
    next_write_ = back(first_) >> 8;
  }
  Cycle free() const { return free_; }
  // Of the cycles from `since` to `now`, those for which the port was taken by more than an instruction itself.
  Cycle lost_between(Cycle since, Cycle now) const { return lost_.between(since, now); }

 private:
  static constexpr std::uint32_t kWrites = 64;  // more than loads from shared memory that can be under way

  Cycle& back(std::uint32_t i) { return writes_[i % kWrites]; }
  [[gnu::noinline]] void give_way(Cycle now) {
    for (; first_ != last_ && back(first_) >> 8 < free_; ++first_)
      if (back(first_) >> 8 >= now) free_ += back(first_) & 255;
    next_write_ = first_ == last_ ? kNever : back(first_) >> 8;
  }

  Cycle free_ = 0;             // taken until then
  Cycle next_write_ = kNever;  // the first that waits
  RegisterBanks banks_;
  std::uint32_t first_ = 0;  // of what waits in writes_
  std::uint32_t last_ = 0;
  std::array<Cycle, kWrites> writes_;  // 256 x when + cycles
  TakenCycles lost_;                   // by more than the instruction itself
};

}  // namespace tilescope
