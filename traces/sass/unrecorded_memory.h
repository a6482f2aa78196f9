// Memory whose contents nobody has recorded, where it holds floating-point numbers: what is read there, and by whom.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/support/bit_mixer.h"

namespace tilescope::sass {

// What the two bytes at this even address read as: positive, and ordinary in every format. A BF16 of 0.25 to 2, so
// FP32 and FP64, whose first bytes it is, are of ordinary size too; an FP16 of 1.625 to 2.
constexpr std::uint16_t unrecorded_half(std::uint64_t address) {
  constexpr std::uint64_t kFirst = 0x3e80, kEnd = 0x4000;
  const std::uint64_t mixed = mix_bits(address / 8 + 1) >> 8 * (address & 6U) & 0xffffU;
  return static_cast<std::uint16_t>(kFirst + (mixed * (kEnd - kFirst) >> 16U));
}

// Which loads of a program have read such halves. Threads may note loads at the same time.
class UnrecordedReads {
 public:
  void expect(std::size_t instructions) { read_ = std::vector<std::atomic<bool>>(instructions); }
  void note(std::size_t instruction) {
    if (!read_[instruction].load(std::memory_order_relaxed)) read_[instruction].store(true, std::memory_order_relaxed);
  }
  // What an answer says of them; empty: there are none.
  std::string sentence() const;

 private:
  std::vector<std::atomic<bool>> read_;  // by instruction
};

}  // namespace tilescope::sass
