// The dispatch port of a sub-partition: one instruction per cycle, more when its operands lie in one register bank or
// loads and stores read theirs meanwhile (models/register_banks.h), when it is a 64-bit multiply-add or when a load has
// waited for long to be written (models/register_writes.h).
//
// An instruction that keeps the port does not keep the next one from issuing in the cycle after its own; from the cycle
// after that on the sub-partition stands still for as long as the port is kept: nothing issues, and the stall counts of
// its warps do not run. Source: clocks behind an IMAD.WIDE and behind FFMAs of one bank, 1 to 11 cycles apart
// (gpu/instructions, held_rows.csv; tests/held_dispatch_test.cpp).
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
  // pair: it adds to a 64-bit pair of them; `writes`: it will write a register in its turn. done(load, when): as
  // RegisterWrites::use. Returns for how many cycles the sub-partition stands still, from stop() on. REQUIRES:
  // advance(now), !stands(now).
  template <class Done>
  Cycle take(Cycle now, Cycle cycles, std::uint8_t register_reads, bool pair, bool writes, Done&& done) {
    const Cycle comes = arrival(now);
    free_ = banks_.fetch(register_reads, comes, pair) + cycles;
    if (loads_.any()) [[unlikely]] {
      loads_.use(comes + (writes ? 1 : 0), free_, done);
      free_ = loads_.insist(free_, done);
    }
    next_ = now + 1 == stop_ ? stop_ + still_ : now + 1;
    stop_ = next_ + 1;
    still_ = free_ - 1 - comes;
    if (still_ > 0) lost_.take(stop_, stop_ + still_);
    return still_;
  }
  // A load or store reads so many registers from `when` on, one every `each` cycles; as RegisterBanks::read_later.
  void read_later(Cycle when, int registers, Cycle each, std::uint8_t single) {
    banks_.read_later(when, registers, each, single);
  }
  // What issues at `now` reads registers of both banks for `cycles`. REQUIRES: take() follows.
  void read_both_banks(Cycle now, Cycle cycles) { banks_.occupy(arrival(now), cycles); }
  // When an instruction that issues at `now` comes to the port.
  Cycle arrival(Cycle now) const { return std::max(now, free_); }
  // When the next instruction may issue, and from when on none may, as the last one keeps the port.
  Cycle next() const { return next_; }
  Cycle stop() const { return stop_; }
  bool stands(Cycle now) const { return now >= stop_ && now < goes_on(); }
  Cycle goes_on() const { return stop_ + still_; }
  // When an instruction whose stall count is `cycles` lets its warp go on, as the last one issued at the port.
  Cycle after(Cycle cycles) const { return cycles <= 1 ? next_ : next_ + cycles - 1 + still_; }
  // Of the cycles from `since` to `now`, those for which the sub-partition stood still.
  Cycle lost_between(Cycle since, Cycle now) const { return lost_.between(since, now); }

  // Loads whose registers are still to be written.
  RegisterWrites& loads() { return loads_; }
  // Nothing has been dispatched since the last instruction until `now`.
  template <class Done>
  void advance(Cycle now, Done&& done) {
    loads_.use(free_, now, done);
  }
  // When the next of them can be written if nothing is dispatched, and what waits for it looks again; kNever: none.
  Cycle next_written() const { return loads_.any() ? loads_.next(free_) + 1 : kNever; }

 private:
  Cycle free_ = 0;  // taken until then
  Cycle next_ = 0;
  Cycle stop_ = 0, still_ = 0;
  RegisterBanks banks_;
  RegisterWrites loads_;
  TakenCycles lost_;  // it stood still
};

}  // namespace tilescope
