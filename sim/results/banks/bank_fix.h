// Which change of an array's layout takes a bank conflict away: found by trying, so it holds for exactly this access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/shared_banks.h"
#include "sim/results/banks/lane_map.h"

namespace tilescope {

struct BankFix {
  enum class Kind : std::uint8_t { padding, xor_swizzle };
  Kind kind = Kind::padding;
  std::int64_t pitch = 0;    // of a row, as the expression has it, in units of the access width
  std::int64_t padding = 0;  // units added to each row
  int shift = 0;             // swizzle: column ^ ((row >> shift) % pitch)
  int wavefronts = 0;        // what remains
  int ideal = 0;

  // "pad each row of 32 by 1 (pitch 33): 1 wavefront (ideal), 3.1 % more shared memory"
  std::string sentence() const;
};

// The smallest padding and the simplest XOR swizzle that bring the access down furthest, at most one of each, paddings
// first. Empty when there is no conflict, or no constant factor that could be a row's pitch, or nothing that helps.
std::vector<BankFix> bank_fixes(const LaneExpression& expression, int bytes, SharedOp op);

}  // namespace tilescope
