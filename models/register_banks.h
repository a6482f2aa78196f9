// The register file of a sub-partition: an even and an odd bank, each of which reads one register of a warp per cycle.
//
// An instruction issues without waiting for its operands, but the fetch may fall behind the dispatch port by one cycle
// only; then the port stalls. Operands that the reuse cache still holds are not read (the compiler marks them .reuse).
// Loads and stores fetch theirs on a path of their own. Source: cycles of 112 loops of random FFMA, FADD, IMAD and LOP3
// on an H100, with the registers and reuse flags that ptxas gave them (as gpu/microbench/register_banks.cu): 1.1 % too
// fast with a deviation of 4.2 %.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/support/units.h"

namespace tilescope {

inline constexpr int kRegisterBanks = 2;

// Registers read from each bank, packed as in Instruction::register_reads: even in the low four bits, odd in the high.
constexpr std::uint8_t register_reads(int even, int odd) { return static_cast<std::uint8_t>(even | odd << 4); }

class RegisterBanks {
 public:
  // An instruction that issues at `now` reads `reads`. Returns the cycle in which the next one may issue. A bank that
  // it does not read holds up nothing. REQUIRES: `now` is not before what the last fetch returned.
  Cycle fetch(std::uint8_t reads, Cycle now) {
    Cycle last = now + 1;
    for (std::size_t bank = 0; bank < kRegisterBanks; ++bank) {
      const int count = reads >> 4 * bank & 15;
      free_[bank] = std::max(free_[bank], now) + count;
      last = std::max(last, free_[bank] - kLag);
    }
    return last;
  }

 private:
  static constexpr Cycle kLag = 1;
  std::array<Cycle, kRegisterBanks> free_{};
};

}  // namespace tilescope
