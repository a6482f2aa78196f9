// The L1's tag stage: banks, each of which looks up one line per cycle. A request takes as many cycles as the fullest
// bank has distinct lines. The bank is the line's address folded by exclusive or, log2(banks) bits at a time, so that
// no stride fills one bank alone. Source: tag wavefronts of 64 strides published for the A100 (mean error 4.5 % with
// four banks), and an H200's counters: 8.00 per request for 32 lines 4 KiB apart; tests/tag_stage_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "models/coalescer.h"

namespace tilescope {

class TagStage {
 public:
  static constexpr int kMostBanks = 16;

  TagStage() : TagStage(4) {}
  // REQUIRES: a power of two, at most kMostBanks.
  explicit TagStage(std::int64_t banks)
      : mask_(static_cast<unsigned>(banks - 1)), width_(static_cast<unsigned>(std::bit_width(mask_))) {}

  unsigned bank(LineAddress address) const {
    std::uint64_t line = address.number();
    if (width_ == 0) return 0;
    if (width_ == 2) {  // four banks, what GPUs have: the same without a loop
      line ^= line >> 32U, line ^= line >> 16U, line ^= line >> 8U, line ^= line >> 4U, line ^= line >> 2U;
      return static_cast<unsigned>(line) & mask_;
    }
    for (unsigned shift = 16 * width_; shift >= width_; shift /= 2) line ^= line >> shift;
    return static_cast<unsigned>(line) & mask_;
  }

  // Cycles for all lines of a request whose base lies in line `base_line`; at least 1.
  std::int64_t cycles(const Footprint& footprint, LineAddress base_line) const {
    if (footprint.lines.size() <= 1) return 1;
    if (footprint.lines.size() == 2) return two_in_one_bank(footprint, base_line) ? 2 : 1;
    std::array<std::uint8_t, kMostBanks> lines{};  // a warp touches at most 64
    std::uint8_t most = 1;
    for (const LineSectors& touched : footprint.lines) most = std::max(most, ++lines[bank(base_line + touched.line)]);
    return most;
  }

 private:
  // Folding keeps exclusive or: two lines differ in their banks by the fold of their difference.
  bool two_in_one_bank(const Footprint& footprint, LineAddress base_line) const {
    const LineAddress first = base_line + footprint.lines[0].line, second = base_line + footprint.lines[1].line;
    return bank(LineAddress::numbered(first.number() ^ second.number())) == 0;
  }

  unsigned mask_, width_;
};

}  // namespace tilescope
