// The register file of a sub-partition: an even and an odd bank, each of which reads one register of a warp per cycle.
//
// An instruction issues without waiting for its operands, and has three cycles in which to read them; its reads follow
// those of the instructions before it. When they would take longer it stays in the dispatch port until they do not.
// Operands that the reuse cache holds are not read (the compiler marks them .reuse); one that the instruction before
// reads into it must have been read.
//
// Loads and stores are handed on later than they issue, and read their registers then; arithmetic waits for these reads
// as for any other. Each of theirs keeps both banks for a cycle. Source: loops of FFMAs with chosen registers and reuse
// flags, one warp to a sub-partition (gpu/instructions; gpu/measured/h100/instruction_loops.csv,
// tests/instruction_loops_test.cpp); arithmetic behind loads (gpu/measured/h200/held_rows.csv,
// tests/held_dispatch_test.cpp).
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
  // An instruction that issues at `now` reads `reads`. Returns the cycle in which the next one may issue. A bank that
  // it does not read holds up nothing. REQUIRES: `now` is not before what the last fetch returned.
  Cycle fetch(std::uint8_t reads, Cycle now) {
    if (first_later_ != last_later_ && later_[first_later_ % kLater].when <= now) read_until(now);
    Cycle begin = now;
    for (std::size_t bank = 0; bank < kRegisterBanks; ++bank) {
      const BankReads of = bank_reads(reads, bank);
      if (of.count > 0) begin = std::max(begin, free_[bank] + of.count - kWindow);
      if (of.after > 0) begin = std::max(begin, first_[bank] + of.after);
    }
    for (std::size_t bank = 0; bank < kRegisterBanks; ++bank) {
      const BankReads of = bank_reads(reads, bank);
      if (of.count == 0) continue;
      first_[bank] = std::max(free_[bank], begin);
      free_[bank] = first_[bank] + of.count;
    }
    return begin + 1;
  }
  // From `when` on, which is not before the last one's, something else reads so many registers, one every `each`
  // cycles. REQUIRES: registers > 0, each > 0.
  void read_later(Cycle when, int registers, Cycle each) {
    if (last_later_ - first_later_ == kLater) read(later_[first_later_++ % kLater]);
    later_[last_later_++ % kLater] = {when, registers, static_cast<int>(each)};
  }
  // An instruction that issues at `now` reads so many registers that it takes both banks for `cycles`.
  void occupy(Cycle now, Cycle cycles) {
    for (Cycle& free : free_) free = std::max(free, now) + cycles;
  }

 private:
  struct Later {
    Cycle when = 0;
    int registers = 0;
    int each = 0;
    Cycle last() const { return when + static_cast<Cycle>(registers - 1) * each; }
  };
  // All that is read later, but not after `now`.
  void read_until(Cycle now) {
    for (; first_later_ != last_later_ && later_[first_later_ % kLater].when <= now; ++first_later_) {
      Later& next = later_[first_later_ % kLater];
      if (next.last() <= now) {
        read(next);
        continue;
      }
      const int there = static_cast<int>((now - next.when) / next.each) + 1;
      read({next.when, there, next.each});
      next.when += static_cast<Cycle>(there) * next.each;
      next.registers -= there;
      return;
    }
  }
  void read(const Later& all) {
    const int before = all.registers - 1;
    for (Cycle& free : free_) free = std::max(free + before + 1, all.last() + 1);
  }

  static constexpr Cycle kWindow = 3;
  static constexpr std::uint32_t kLater = 16;  // more than a sub-partition's queue of loads and stores has
  std::array<Later, kLater> later_{};
  std::uint32_t first_later_ = 0, last_later_ = 0;
  std::array<Cycle, kRegisterBanks> free_{};
  std::array<Cycle, kRegisterBanks> first_{};  // read by the last instruction that read any
};

}  // namespace tilescope
