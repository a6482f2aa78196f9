// The scheduling fields that NVIDIA's compiler writes into every 128-bit instruction since Volta.
//
// Layout, in the high 64-bit word: bits 41-44 stall count, 45 yield (0 means "switch"), 46-48 write scoreboard,
// 49-51 read scoreboard (7: none), 52-57 wait mask, 58-61 reuse flags. Source: encodings beside their text in
// listings of CUDA 11 to 13; the same for sm_80 and sm_90.
#pragma once

#include <cstdint>

namespace tilescope::sass {

struct ControlCodes {
  std::uint8_t stall = 0;
  std::uint8_t yield = 0;  // 1: the compiler suggests another warp next
  std::uint8_t write_scoreboard = 7;
  std::uint8_t read_scoreboard = 7;
  std::uint8_t wait_mask = 0;
  std::uint8_t reuse = 0;  // bit i: source operand i stays in the reuse cache

  bool operator==(const ControlCodes&) const = default;
};

constexpr ControlCodes control_codes(std::uint64_t high_word) {
  const auto field = [high_word](unsigned first, unsigned bits) {
    return static_cast<std::uint8_t>(high_word >> first & ((1U << bits) - 1));
  };
  return {.stall = field(41, 4),
          .yield = static_cast<std::uint8_t>(field(45, 1) ^ 1U),
          .write_scoreboard = field(46, 3),
          .read_scoreboard = field(49, 3),
          .wait_mask = field(52, 6),
          .reuse = field(58, 4)};
}

}  // namespace tilescope::sass
