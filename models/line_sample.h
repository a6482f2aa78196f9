// Which lines a counting engine sends through its caches when it looks at one in 2^shift only: one of each group of as
// many neighbours, at a place in it that the group's number, mixed, decides.
//
// Caches that shrink with it see of contiguous data what whole caches see: every set as often as any other, however
// close the data comes to the capacity (set_index.h). Lines thrown at random into them would overflow some sets: of
// 48 MiB in 50 of 16 ways one in twelve would find no place. Where a group lies in both partitions of L2, groups take
// turns: even ones keep a line of the first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/address_hash.h"
#include "models/set_index.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class LineSample {
 public:
  LineSample(AddressHash hash, unsigned shift)
      : hash_(hash), shift_(shift), places_((1ULL << shift) - 1), turn_(turn_bit(hash_, shift)) {}

  unsigned shift() const { return shift_; }

  bool keeps(LineAddress line) const {
    const std::uint64_t number = line.number(), group = number >> shift_;
    if (((number ^ mix_bits(group ^ 0xA5A5A5A5A5ULL)) & places_ & ~turn_) != 0) return false;
    return turn_ == 0 || hash_.home_partition(line) == (group & 1U);
  }

  // Sets of a cache of which all lines come, and the way in which those that are kept fill its share of them.
  std::size_t sets(std::size_t of_all) const {
    const std::size_t share = of_all >> shift_;
    return share == 0 ? 1 : share;
  }
  // `without_bit`, `run_bits`: as in SetIndex, of the whole cache.
  SetIndex set_index(std::size_t sets, int without_bit = -1, int run_bits = -1) const {
    const int bit = without_bit - static_cast<int>(shift_);
    const int run = std::max(0, run_bits - static_cast<int>(shift_));
    return SetIndex(sets, without_bit < 0 ? -1 : bit < 0 ? 0 : bit, shift_, run_bits < 0 ? -1 : run);
  }

 private:
  // The bit of a line's place in its group that its partition decides; 0: groups lie in one partition.
  static std::uint64_t turn_bit(const AddressHash& hash, unsigned shift) {
    const int bit = hash.implied_bit();
    return bit < 0 || bit >= static_cast<int>(shift) ? 0 : 1ULL << static_cast<unsigned>(bit);
  }

  AddressHash hash_;
  unsigned shift_;
  std::uint64_t places_, turn_;
};

}  // namespace tilescope
