// How often a load passes the data stage when some of its lines are in L1 and others are on their way: lanes whose line
// is there pass together, those that wait in groups, one for every few of the load's lines. All lanes of a load that
// hits pass together, however many lines they touch. Source: gpu/microbench/counted_split.cu
// (gpu/measured/{h200,h100}/split_counted.csv).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilescope {

// Of a line that a load touches: bit b of entry p: in phase p (models/shared_banks.h) a lane takes a word of bank b.
using LineBanks = std::array<std::uint64_t, 4>;

struct SplitPasses {
  std::int32_t there = 0;  // of the lanes whose lines are in L1
  std::int32_t later = 0;  // of all others
};

// Passes of the data stage that the lanes of `lines` take together; bit i: the i-th of `banks`.
inline std::int32_t passes_of(std::span<const LineBanks> banks, std::uint32_t lines) {
  std::int32_t passes = 0;
  for (std::size_t phase = 0; phase < LineBanks{}.size(); ++phase) {
    // Lines by bank, counted in all banks at once: bit b of entry k is bit k of bank b's count.
    std::array<std::uint64_t, 6> counts{};
    for (std::uint32_t left = lines; left != 0; left &= left - 1) {
      std::uint64_t carry = banks[static_cast<std::size_t>(std::countr_zero(left))][phase];
      for (std::uint64_t& count : counts) {
        const std::uint64_t both = count & carry;
        count ^= carry;
        carry = both;
      }
    }
    std::uint64_t fullest = ~std::uint64_t{0};
    std::int32_t most = 0;
    for (std::size_t k = counts.size(); k-- > 0;) {
      const std::uint64_t fuller = fullest & counts[k];
      if (fuller == 0) continue;
      fullest = fuller;
      most |= 1 << k;
    }
    passes += most;
  }
  return passes;
}

// `waiting`: the lines that are not in L1; `together`: as many of the load's lines wait and pass as one.
inline SplitPasses split_passes(std::span<const LineBanks> banks, std::uint32_t waiting, std::int64_t together) {
  const auto count = static_cast<std::int64_t>(banks.size());
  const std::uint32_t all = count >= 32 ? ~0U : (1U << count) - 1;
  SplitPasses split{passes_of(banks, all & ~waiting), 0};
  for (std::int64_t first = 0; first < count; first += together) {
    const std::uint32_t group = together >= 32 ? ~0U : ((1U << together) - 1) << first;
    split.later += passes_of(banks, waiting & group);
  }
  return split;
}

}  // namespace tilescope
