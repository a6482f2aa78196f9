// The line of constants that an instruction reads at an address that the code says (c[0x0][0x210]), in one byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilescope {

// Lines have 64 bytes; four make up a block, which the SM's larger cache fetches at once. Source:
// gpu/microbench/constant_cache.cu, H200 and H100.
struct ConstantLine {
  static constexpr std::int64_t kBytes = 64, kBlock = 4 * kBytes;
  static constexpr std::uint8_t kNone = 0;  // no such operand, or beyond what a byte can tell
  // Lines of the launch's own bank, which holds its parameters, are numbered from 1 on; blocks of other banks, in the
  // order of the code, from kOther on.
  static constexpr std::uint8_t kOther = 128;
  static constexpr int kOwnLines = kOther - 1, kOtherBlocks = (256 - kOther) / 4;

  static constexpr std::uint8_t own(std::int64_t offset) {
    return offset >= 0 && offset / kBytes < kOwnLines ? static_cast<std::uint8_t>(1 + offset / kBytes) : kNone;
  }
  static constexpr std::uint8_t other(int block, std::int64_t offset) {
    return block < kOtherBlocks ? static_cast<std::uint8_t>(kOther + 4 * block + offset % kBlock / kBytes) : kNone;
  }
  static constexpr bool is_other(std::uint8_t line) { return line >= kOther; }
  static constexpr std::size_t block_of(std::uint8_t line) { return (line - kOther) / 4U; }  // REQUIRES: is_other(line)
};

}  // namespace tilescope
