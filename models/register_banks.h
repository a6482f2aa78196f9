// The register file of a sub-partition: an even and an odd bank, each of which reads one register of a warp per cycle.
//
// An instruction issues without waiting for its operands, and has three cycles in which to read them; its reads follow
// those of the instructions before it. When they would take longer it stays in the dispatch port until they do not.
// Operands that the reuse cache holds are not read (the compiler marks them .reuse); one that the instruction before
// reads into it must have been read.
//
// Loads and stores are handed on later than they issue, and read their registers then, each from its own bank;
// arithmetic waits for these reads as for any other. What reads one register of each bank reads both in one cycle, when
// neither is taken. The odd register of the pair that a widening multiplication adds to is read in the third cycle, not
// before. Source: loops of FFMAs with chosen registers and reuse flags, one warp to a sub-partition (gpu/instructions;
// gpu/measured/h100/instruction_loops.csv, tests/instruction_loops_test.cpp); arithmetic 1 to 10 cycles behind loads
// and stores, and among them (gpu/measured/h200/held_rows.csv and crossing_rows.csv, tests/held_dispatch_test.cpp,
// tests/crossing_rows_test.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

inline constexpr int kRegisterBanks = 2;

// What an instruction reads from one bank: `count` registers, 3 at most, and, from the reuse cache, what the
// instruction before it read as the `after`th of its registers there; 0: nothing that this one read.
struct BankReads {
  int count = 0;
  int after = 0;
};

// Packed as in Instruction::register_reads: four bits a bank, the even one's low; `count` in the low two of four.
constexpr std::uint8_t register_reads(BankReads even, BankReads odd) {
  return static_cast<std::uint8_t>(even.count | even.after << 2 | odd.count << 4 | odd.after << 6);
}
constexpr BankReads bank_reads(std::uint8_t packed, std::size_t bank) {
  return {packed >> 4 * bank & 3, packed >> (4 * bank + 2) & 3};
}

class RegisterBanks {
 public:
  // An instruction that issues at `now` reads `reads`; late_odd: its last odd register not before its third cycle.
  // Returns the cycle from which on it is there as others are at `now`. A bank that it does not read holds up nothing.
  // REQUIRES: `now` is not before what the last fetch returned.
  Cycle fetch(std::uint8_t reads, Cycle now, bool late_odd) {
    std::array<BankReads, kRegisterBanks> of;
    Cycle begin = now;
    for (std::size_t bank = 0; bank < kRegisterBanks; ++bank) {
      of[bank] = bank_reads(reads, bank);
      if (of[bank].after > 0) begin = std::max(begin, first_[bank] + of[bank].after);
    }
    if (late_odd) --of[kOdd].count;
    const Cycle from = begin;
    const bool both = of[kEven].count == 1 && of[kOdd].count == 1;
    Cycle waits = 0;
    while (both && (taken_later(kEven, std::max(from, free_[kEven]) + waits, now) ||
                    taken_later(kOdd, std::max(from, free_[kOdd]) + waits, now)))
      ++waits;
    for (std::size_t bank = 0; bank < kRegisterBanks; ++bank) {
      if (of[bank].count == 0) continue;
      Cycle turn = std::max(from, free_[bank]) + waits;
      for (int i = 0; i < of[bank].count; ++i, ++turn) {
        while (taken_later(bank, turn, now)) ++turn;
        if (i == 0) first_[bank] = turn;
      }
      free_[bank] = turn;
      begin = std::max(begin, turn - kWindow);
    }
    if (late_odd) {
      Cycle last = std::max(free_[kOdd], begin + kWindow - 1);
      while (taken_later(kOdd, last, now)) ++last;
      free_[kOdd] = last + 1;
      begin = std::max(begin, last + 1 - kWindow);
    }
    return begin;
  }
  // From `when` on, which is not before the last one's, something else reads so many registers, one every `each`
  // cycles: behind a single one pairs, of which the odd one comes first. single: the bank of that one, as one read of
  // it; 0: it is not known, and both are kept. REQUIRES: registers > 0, each > 0.
  void read_later(Cycle when, int registers, Cycle each, std::uint8_t single) {
    for (int i = 0; i < registers; ++i) {
      const bool alone = i < registers % 2, second = (registers - i) % 2 == 1;
      if (alone ? bank_reads(single, kEven).count >= bank_reads(single, kOdd).count : second)
        later_[kEven].add(when + i * each);
      if (alone ? bank_reads(single, kOdd).count >= bank_reads(single, kEven).count : !second)
        later_[kOdd].add(when + i * each);
    }
  }
  // An instruction that issues at `now` reads so many registers that it takes both banks for `cycles`.
  void occupy(Cycle now, Cycle cycles) {
    for (Cycle& free : free_) free = std::max(free, now) + cycles;
  }

 private:
  static constexpr std::size_t kEven = 0, kOdd = 1;
  static constexpr Cycle kWindow = 3;

  class Later {  // cycles, in order
   public:
    void add(Cycle when) {
      if (last_ - first_ == kMost) ++first_;
      at_[last_++ % kMost] = when;
    }
    // None before `now` is asked for any more.
    bool has(Cycle when, Cycle now) {
      while (first_ != last_ && at_[first_ % kMost] < now) ++first_;
      for (std::uint32_t i = first_; i != last_ && at_[i % kMost] <= when; ++i)
        if (at_[i % kMost] == when) return true;
      return false;
    }

   private:
    static constexpr std::uint32_t kMost = 32;  // more than what a sub-partition's queue of loads and stores reads
    std::array<Cycle, kMost> at_{};
    std::uint32_t first_ = 0, last_ = 0;
  };
  bool taken_later(std::size_t bank, Cycle when, Cycle now) { return later_[bank].has(when, now); }

  std::array<Later, kRegisterBanks> later_{};
  std::array<Cycle, kRegisterBanks> free_{};
  std::array<Cycle, kRegisterBanks> first_{};  // read by the last instruction that read any
};

}  // namespace tilescope
