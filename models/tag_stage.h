// The L1's tag stage: four banks, each of which looks up one line per cycle. A request takes as many cycles as the
// fullest bank has distinct lines. The bank is the line's address folded by exclusive or, two bits at a time, so that
// no stride fills one bank alone. Source: tag wavefronts of 64 strides published for the A100 (mean error 4.5 %), and
// an H200's counters: 8.00 per request for 32 lines 4 KiB apart; tests/tag_stage_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "models/coalescer.h"

namespace tilescope {

inline constexpr int kTagBanks = 4;

constexpr unsigned tag_bank(LineAddress address) {
  std::uint64_t line = address.number();
  line ^= line >> 32U;
  line ^= line >> 16U;
  line ^= line >> 8U;
  line ^= line >> 4U;
  line ^= line >> 2U;
  return static_cast<unsigned>(line & (kTagBanks - 1));
}

// Cycles for all lines of a request whose base lies in line `base_line`; at least 1.
inline std::int64_t tag_cycles(const Footprint& footprint, LineAddress base_line) {
  if (footprint.lines.size() <= 1) return 1;
  std::array<std::int64_t, kTagBanks> lines{};
  std::int64_t most = 1;
  for (const LineSectors& touched : footprint.lines) {
    std::int64_t& count = lines[tag_bank(base_line + touched.line)];
    if (++count > most) most = count;
  }
  return most;
}

}  // namespace tilescope
