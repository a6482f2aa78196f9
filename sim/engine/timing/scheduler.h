// The warp scheduler of a sub-partition. Among the warps that can issue it takes one of the oldest CTA, and of these
// the one that has issued least recently; of equals, the later in age. Source: CTA timelines and issue order on an
// H200 (gpu/microbench/scheduler.cu).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/isa/operation.h"
#include "models/support/units.h"

namespace tilescope {

class Scheduler {
 public:
  struct Candidate {   // a warp, as its scheduler sees it
    Cycle ready = 0;   // kNever: not known yet
    Cycle issued = 0;  // last
    Pipe pipe = Pipe::none;
    std::uint16_t warp = 0;
    std::uint16_t slot = 0;  // of its CTA
  };
  struct Choice {
    Candidate* chosen = nullptr;
    Cycle earliest = kNever;  // when none can issue: when one can
  };

  // `when(candidate, now)`: from when on its pipe takes it. REQUIRES: not before the candidate is ready.
  template <class When>
  Choice choose(Cycle now, When&& when) {
    Choice choice;
    for (Candidate& candidate : candidates_) {
      if (choice.chosen != nullptr && candidate.slot != choice.chosen->slot) break;  // an older CTA's warp can issue
      Cycle possible = candidate.ready;
      if (possible < choice.earliest) possible = when(candidate, now);
      if (possible > now) {
        choice.earliest = std::min(choice.earliest, possible);
        continue;
      }
      if (choice.chosen == nullptr || candidate.issued <= choice.chosen->issued) choice.chosen = &candidate;
    }
    return choice;
  }

  // In order of age: the latest comer last. Returns its place.
  std::uint16_t add(const Candidate& candidate) {
    candidates_.push_back(candidate);
    return static_cast<std::uint16_t>(candidates_.size() - 1);
  }
  Candidate& at(std::uint16_t place) { return candidates_[place]; }
  std::vector<Candidate>& candidates() { return candidates_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }

  // The warps of a CTA leave; moved(warp, place) is told where the others are now.
  template <class Moved>
  void remove(std::uint16_t slot, Moved&& moved) {
    std::erase_if(candidates_, [slot](const Candidate& candidate) { return candidate.slot == slot; });
    for (std::size_t i = 0; i < candidates_.size(); ++i) moved(candidates_[i].warp, static_cast<std::uint16_t>(i));
  }

 private:
  std::vector<Candidate> candidates_;
};

}  // namespace tilescope
