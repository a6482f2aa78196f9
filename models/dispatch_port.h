// The dispatch port of a sub-partition: one instruction per cycle, more when its operands lie in one register bank or
// loads and stores read theirs meanwhile (models/register_banks.h), when it is a 64-bit multiply-add or when a load has
// waited for long to be written (models/register_writes.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/register_banks.h"
#include "models/register_writes.h"
#include "models/support/units.h"
#include "models/taken_cycles.h"

namespace tilescope {

class DispatchPort {
 public:
  // Issues an instruction at `now` that takes the port for `cycles`; `register_reads` as Instruction has them;
  // `writes`: it will write a register in its turn. done(load, when): as RegisterWrites::use. REQUIRES: advance(now).
  template <class Done>
  void take(Cycle now, Cycle cycles, std::uint8_t register_reads, bool writes, Done&& done) {
    free_ = std::max(now + cycles, banks_.fetch(register_reads, now));
    if (loads_.any()) [[unlikely]] {
      loads_.use(now + (writes ? 1 : 0), free_, done);
      free_ = loads_.insist(free_, done);
    }
    if (free_ > now + 1) lost_.take(now + 1, free_);
  }
  // A load or store reads so many registers from `when` on, one every `each` cycles; it is not before the last one.
  void read_later(Cycle when, int registers, Cycle each) { banks_.read_later(when, registers, each); }
  // What issues at `now` reads registers of both banks for `cycles`. REQUIRES: take() follows.
  void read_both_banks(Cycle now, Cycle cycles) { banks_.occupy(now, cycles); }
  Cycle free() const { return free_; }
  // Of the cycles from `since` to `now`, those for which the port was taken by more than an instruction itself.
  Cycle lost_between(Cycle since, Cycle now) const { return lost_.between(since, now); }

  // Loads whose registers are still to be written.
  RegisterWrites& loads() { return loads_; }
  // Nothing has been dispatched from free() to `now`.
  template <class Done>
  void advance(Cycle now, Done&& done) {
    loads_.use(free_, now, done);
  }
  // When the next of them can be written if nothing is dispatched, and what waits for it looks again; kNever: none.
  Cycle next_written() const { return loads_.any() ? loads_.next(free_) + 1 : kNever; }

 private:
  Cycle free_ = 0;  // taken until then
  RegisterBanks banks_;
  RegisterWrites loads_;
  TakenCycles lost_;  // by more than the instruction itself
};

}  // namespace tilescope
