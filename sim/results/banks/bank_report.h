// One shared-memory instruction explained: its cost, its phases, and what would make it cheaper.
#pragma once

#include <vector>

#include "sim/results/banks/bank_fix.h"

namespace tilescope {

// Of the calculator: the banks of every GPU since Maxwell, those of SharedBanks().
inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

// A word of a bank, and the lanes of a phase that touch it. Lanes that share a word do not collide.
struct BankWord {
  std::int64_t word = 0;  // of 4 B, from the start of the array
  std::vector<int> lanes;
};

struct PhaseReport {
  std::uint32_t lanes = 0;  // bit i: lane i is served
  int wavefronts = 0;
  std::array<std::vector<BankWord>, kBanks> banks;  // more than one word: they collide
};

struct BankReport {
  LaneMap map{};
  int bytes = 4;  // per lane
  SharedOp op = SharedOp::load;
  BankCost cost;
  std::vector<PhaseReport> phases;
  std::vector<BankFix> fixes;  // filled by whoever knows the expression
};

// REQUIRES: bytes is 4, 8 or 16.
BankReport bank_report(const LaneMap& map, int bytes, SharedOp op);

}  // namespace tilescope
