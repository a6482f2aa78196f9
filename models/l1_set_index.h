// Which set of L1 a line belongs to.
//
// With l1.set_hash there are as many sets as the whole data array fills, whatever part of it is cache: each bit of the
// line number changes bits of the set's number of its own, and any neighbouring ones change it differently, so that
// strides of a power of two load all sets evenly. Bits above those of the hash are scrambled. Source: l1_hash, l1_sets.
// Without one, sets are as many as the cache's part of the array fills, loaded as SetIndex says.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "models/gpu_spec.h"
#include "models/set_index.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class L1SetIndex {
 public:
  // `shift`: so many of the lowest bits of line numbers take no part, and there is that much less of the cache.
  L1SetIndex(const L1Spec& spec, std::int64_t capacity_kib, unsigned shift)
      : sets_(std::max<std::size_t>(1, sets_of(spec, hashed(spec) ? spec.size_kib : capacity_kib) >> shift)),
        runs_(sets_, -1, shift),
        shift_(shift) {
    if (!hashed(spec)) return;
    low_bits_ = static_cast<unsigned>(std::countr_zero(sets_of(spec, spec.size_kib)));
    high_bits_ = static_cast<unsigned>(spec.set_hash.size());
    for (std::size_t part = 0; part < changes_.size(); ++part)
      for (std::size_t bits = 0; bits < changes_[part].size(); ++bits)
        for (unsigned bit = 0; bit < kPartBits; ++bit)
          if (const std::size_t mask = part * kPartBits + bit; mask < high_bits_ && (bits >> bit & 1U) != 0)
            changes_[part][bits] ^= static_cast<std::uint16_t>(spec.set_hash[mask]);
  }

  std::size_t sets() const { return sets_; }

  std::size_t operator()(LineAddress line) const {
    if (high_bits_ == 0) return runs_(line);
    const std::uint64_t high = line.number() >> low_bits_;
    const std::uint64_t set = line.number() ^ changes_[0][high & kPart] ^ changes_[1][high >> kPartBits & kPart] ^
                              mix_bits(high >> high_bits_);
    return static_cast<std::size_t>(set >> shift_ & (sets_ - 1));
  }

 private:
  static std::size_t sets_of(const L1Spec& spec, std::int64_t kib) {
    return static_cast<std::size_t>(kib * 1024 / kLineBytes / spec.ways);
  }
  static bool hashed(const L1Spec& spec) {
    return !spec.set_hash.empty() && std::has_single_bit(sets_of(spec, spec.size_kib));
  }

  std::size_t sets_;
  SetIndex runs_;
  unsigned shift_;
  unsigned low_bits_ = 0, high_bits_ = 0;  // of a line number: the sets' own, those of the hash; none: no hash
  // By the lower and by the upper half of the bits of the hash.
  static constexpr unsigned kPartBits = 8, kPart = (1U << kPartBits) - 1;
  std::array<std::array<std::uint16_t, kPart + 1>, 2> changes_{};
};

}  // namespace tilescope
