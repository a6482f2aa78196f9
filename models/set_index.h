// Which set of a cache a line belongs to: consecutive lines fill the sets in turn, and each run of them, aligned to its
// length, begins at a set of its own: scrambled where a run is as long as there are sets; where its length is given,
// 0.46 of all sets behind the one before.
//
// So contiguous data loads the sets evenly, for any number of sets, and a power-of-two stride no worse than at random.
// Hardware hashes nearly do the first too. In a partition of an H200's or H100's L2, contiguous lines that are read
// again and again are lost by whole sets: 1 % of them with 84 % of its room taken, 8 or 4 % with 90 %, 54 or 38 % with
// 100 %, nine in ten with 108 %, all with 110 % (gpu/microbench/l2_replacement.cu); with lines thrown at random into
// sets of 20 ways a third of 90 % would be lost. Runs of 8 MiB, of which each set has two or three lines, come closest
// among powers of two (l2.set_run_mib), and with steps of 0.46 within 6.6 points of both GPUs, wherever the lines
// begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class SetIndex {
 public:
  // `without_bit`: a bit of the line number that takes no part, so that lines which differ in it alone share a set;
  // negative: none. `shift`: so many of the lowest bits take none either, and are not counted. `run_bits`: a run is 2
  // to this of the lines that are left; negative: as long as there are sets. REQUIRES: sets > 0.
  explicit SetIndex(std::size_t sets, int without_bit = -1, unsigned shift = 0, int run_bits = -1)
      : sets_(sets),
        shift_(shift),
        run_bits_(run_bits),
        reciprocal_(~0ULL / sets + 1),
        exact_below_(~0ULL / sets),
        below_(without_bit < 0 ? ~0ULL : (1ULL << static_cast<unsigned>(without_bit)) - 1) {}

  std::size_t operator()(LineAddress line) const {
    const std::uint64_t shifted = line.number() >> shift_;
    const std::uint64_t number = (shifted & below_) | (shifted >> 1U & ~below_);
    std::uint64_t run, begin, place;  // the run, where its last round over the sets began, and at which of them
    if (run_bits_ < 0) {
      run = quotient(number);
      begin = run * sets_;
      place = mix_bits(run + 1);
    } else {
      run = number >> static_cast<unsigned>(run_bits_);
      begin = run << static_cast<unsigned>(run_bits_);
      begin += quotient(number - begin) * sets_;
      place = run * kStep;
    }
    const std::uint64_t set = number - begin + scale_to(place, sets_);
    return static_cast<std::size_t>(set < sets_ ? set : set - sets_);
  }

 private:
  static constexpr std::uint64_t kStep = 0x7611'3404'EA4A'8C00;  // 0.4612 of 2^64
  __extension__ using Wide = unsigned __int128;

  // number / sets_. The rounded reciprocal is too large by less than one part in 2^64 / sets_: no quotient of a number
  // below that is touched.
  std::uint64_t quotient(std::uint64_t number) const {
    if (number >= exact_below_ || sets_ == 1) return number / sets_;
    return static_cast<std::uint64_t>(static_cast<Wide>(number) * reciprocal_ >> 64U);
  }

  std::uint64_t sets_;
  unsigned shift_;
  int run_bits_;
  std::uint64_t reciprocal_;
  std::uint64_t exact_below_;
  std::uint64_t below_;
};

}  // namespace tilescope
