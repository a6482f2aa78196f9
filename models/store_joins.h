// Stores on their way out of L1, which later ones to the same lines still join. Stores are worked through in order,
// some cycles for each line, those that join too. The lines of a store leave together when it has been worked through,
// one soon after the other, and until then a store that finds one of them adds its words to it; it stays as long as
// that one takes. When as many lines wait as there is room for, the one that would leave first takes no more.
//
// Source: gpu/microbench/counted_store_joins.cu (gpu/measured/h200/store_joins_counted.csv), one warp whose stores
// follow one another as its sub-partition sends them, every 6.15 cycles. Stores of one line each join their predecessor
// (aa, aaaa) and no other (aba); of two lines also the one before (abab, not abcabc), of four or eight the one before
// that (abcabc); of eight, three places of which are as much as there is room for, none of abcdabcd. A store of eight
// lines that comes 27 cycles behind another one joins all of its lines, after 31 three, after 35 the last, after 40
// none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/units.h"

namespace tilescope {

class StoreJoins {
 public:
  // That a line which joins takes the way out. Source: while 32 warps of every SM store to a whole line each four times
  // in a row, an SM takes a store every 2.1 cycles (seen by a program that is not kept).
  static constexpr Cycle kJoinCycles = 1;

  explicit StoreJoins(const LsuSpec& spec)
      : most_(static_cast<std::size_t>(spec.store_join_lines)),
        sector_cycles_(spec.store_line_cycles / kSectorsPerLine),
        wait_(static_cast<double>(spec.store_join_cycles)) {}

  // The next store, of so many sectors, is looked up from `now` on, a line a cycle.
  void begin(Cycle now, std::int64_t sectors) {
    now_ = now;
    done_ = std::max(done_, static_cast<double>(now)) + static_cast<double>(sectors) * sector_cycles_;
  }
  // Whether its line number `i` finds itself among those that wait.
  bool finds(LineAddress line, std::size_t i) {
    const Cycle looked_up = now_ + static_cast<Cycle>(i);
    std::erase_if(waiting_, [looked_up](const Waiting& one) { return one.until <= looked_up; });
    for (found_ = 0; found_ < waiting_.size(); ++found_)
      if (waiting_[found_].line == line) return true;
    return false;
  }
  // When that line leaves, as far as stores are concerned.
  Cycle leaves(std::size_t i) const {
    return static_cast<Cycle>(std::ceil(done_ + wait_ + kStep * static_cast<double>(i)));
  }
  // The line that finds() was asked for last does not leave before.
  void waits(LineAddress line, Cycle until) {
    if (found_ < waiting_.size())
      waiting_[found_].until = std::max(waiting_[found_].until, until);
    else if (waiting_.size() < most_)
      waiting_.push_back({line, until});
    else if (most_ != 0)
      *std::min_element(waiting_.begin(), waiting_.end(),
                        [](const Waiting& a, const Waiting& b) { return a.until < b.until; }) = {line, until};
  }
  // Who asks L2 for the line at `now`, behind what is stored to it, asks when this has left: then.
  Cycle close(LineAddress line, Cycle now) {
    for (Waiting& one : waiting_)
      if (one.line == line) now = std::max(now, std::exchange(one.until, Cycle{}));
    return now;
  }

 private:
  static constexpr double kStep = 1.5;  // cycles from line to line of a store that leaves; fitted with the other two
  struct Waiting {
    LineAddress line;
    Cycle until;
  };

  std::size_t most_;
  double sector_cycles_, wait_;
  Cycle now_ = 0;    // from when on the store looked up last is
  double done_ = 0;  // when it has been worked through
  std::vector<Waiting> waiting_;
  std::size_t found_ = 0;  // of these, by finds(); as many as there are: none
};

}  // namespace tilescope
