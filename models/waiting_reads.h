// Reads that wait for the bus of a pseudo channel. A controller chooses among those in its queue by other things than
// their age: a read that comes takes the turn of a random one of those that came last, itself included, and that one
// gets the turn behind all. The bus is as busy as in order of arrival.
//
// Source: waits of single loads on an H200 (gpu/microbench/read_waits.cu, without the moments in which all wait for
// some 2,000 cycles, one in 106 microseconds). While 32 and 64 warps of each SM have four lines under way, near loads
// deviate by 236 and 446 cycles from their mean: while few wait as if all of them were served at random, with many as
// if the last 36 of a pseudo channel were. Neither time, SM nor page scatters them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class WaitingReads {
 public:
  struct Read {
    LineAddress line;
    std::int64_t bursts;
    Tick open;             // its row is, and it can be moved
    Tick turn;             // the bus moves it from then on
    std::uint32_t ticket;  // of whoever asked
  };

  // A read that comes and would have the last turn takes that of one whose turn is after `first`, or keeps its own.
  // may_be_put_off(ticket): whoever asked for it can still be told; put_off(read): it has another turn.
  template <class MayBePutOff, class PutOff>
  void exchange(Read& newcomer, Tick first, MayBePutOff&& may_be_put_off, PutOff&& put_off) {
    std::uint64_t chance = mix_bits(newcomer.line.number() ^ static_cast<std::uint64_t>(newcomer.turn.count()) << 24U);
    while (true) {
      const std::size_t drawn = scale_to(chance, reads_.size() + 1);
      if (drawn == reads_.size()) break;
      Read& other = reads_[drawn];
      if (other.turn > first && may_be_put_off(other.ticket)) {
        if (other.turn < newcomer.turn && other.turn >= newcomer.open && other.bursts == newcomer.bursts) {
          std::swap(other.turn, newcomer.turn);
          put_off(other);
        }
        break;
      }
      other = reads_.back();
      reads_.pop_back();
      chance = mix_bits(chance + 1);
    }
    reads_.push_back(newcomer);
  }

 private:
  std::vector<Read> reads_;  // in no order; some have left the queue
};

}  // namespace tilescope
