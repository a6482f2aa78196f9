// Which set of a cache a line belongs to: each run of as many consecutive lines as there are sets fills every set once,
// and each run begins at a set of its own, scrambled.
//
// So contiguous data loads the sets evenly, for any number of sets, and a power-of-two stride no worse than at random.
// Hardware hashes do the first too: on an H200, passes over up to 28 MB that all SMs share lose nothing in partitions
// of 31.5 MB (gpu/microbench: counted_l2_capacity); with lines thrown at random into sets of 16 ways a third would be
// lost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class SetIndex {
 public:
  // `without_bit`: a bit of the line number that takes no part, so that lines which differ in it alone share a set;
  // negative: none. `shift`: so many of the lowest bits take none either, and are not counted. REQUIRES: sets > 0.
  explicit SetIndex(std::size_t sets, int without_bit = -1, unsigned shift = 0)
      : sets_(sets),
        shift_(shift),
        reciprocal_(~0ULL / sets + 1),
        exact_below_(~0ULL / sets),
        below_(without_bit < 0 ? ~0ULL : (1ULL << static_cast<unsigned>(without_bit)) - 1) {}

  std::size_t operator()(LineAddress line) const {
    const std::uint64_t shifted = line.number() >> shift_;
    const std::uint64_t number = (shifted & below_) | (shifted >> 1U & ~below_);
    const std::uint64_t run = run_of(number);
    const std::uint64_t set = number - run * sets_ + scale_to(mix_bits(run + 1), sets_);
    return static_cast<std::size_t>(set < sets_ ? set : set - sets_);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  // number / sets_. The rounded reciprocal is too large by less than one part in 2^64 / sets_: no quotient of a number
  // below that is touched.
  std::uint64_t run_of(std::uint64_t number) const {
    if (number >= exact_below_ || sets_ == 1) return number / sets_;
    return static_cast<std::uint64_t>(static_cast<Wide>(number) * reciprocal_ >> 64U);
  }

  std::uint64_t sets_;
  unsigned shift_;
  std::uint64_t reciprocal_;
  std::uint64_t exact_below_;
  std::uint64_t below_;
};

}  // namespace tilescope
