// The warp scheduler of a sub-partition. The warp that has just issued goes on if it can at once and its instruction
// does not yield; once it has to wait, it has its turn again as all others have. Otherwise, among the warps that can
// issue, one of the oldest CTA goes on, and of these the one that has issued least recently; of equals, the later in
// age. A warp whose stall count has run while it waits for a place in the queue of the load/store unit, and for nothing
// else, goes on before the others of its CTA when there is one, whatever has issued meanwhile: a row of memory
// instructions stays together where the queue is slower than their stall counts.
// Source: order of issue and ends of CTAs that share an SM (gpu/microbench/scheduler.cu, H200 and H100); how long one
// warp waits to issue beside others whose queue is full (gpu/microbench/beside.cu).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/operation.h"
#include "models/support/units.h"

namespace tilescope {

class Scheduler {
 public:
  using Place = std::ptrdiff_t;  // of a warp, by age
  static constexpr Place kNone = -1;

  struct Choice {
    Place place = kNone;
    Cycle earliest = kNever;  // when none can issue: when one can
  };

  // `taken`: until when each pipe is taken. `room(when)`: from when on global memory has room for one more instruction
  // that could issue at `when`; asked only of warps that this choice looks at.
  template <class Room>
  [[gnu::always_inline]] Choice choose(Cycle now, const std::array<Cycle, kPipes>& taken, Room&& room) {
    const Candidate* candidate = candidates_.data();
    Cycle earliest = kNever;
    if (stays_ != kNone) {
      Candidate& last = at(stays_);
      const Cycle free = taken[static_cast<std::size_t>(last.pipe)];
      const Cycle open = last.pipe == Pipe::lg ? std::max(free, room(std::max(last.ready, free))) : free;
      if (!queues_ && std::max(last.ready, open) <= now) return {stays_, kNever};
      hold(last, open);
    }
    for (const Group& group : groups_) {
      // The same steps for every warp: which of them can issue is as good as random, so a way around a step would cost
      // more than the step.
      const Candidate* chosen = nullptr;
      Cycle chosen_issued = kNever - 1;
      for (const Candidate* const end = candidate + group.warps; candidate != end; ++candidate) {
        Cycle when = std::max(candidate->ready, taken[static_cast<std::size_t>(candidate->pipe)]);
        if (candidate->pipe == Pipe::lg) when = std::max(when, room(when));
        earliest = std::min(earliest, when);
        const Cycle issued = when <= now ? candidate->issued : kNever;
        chosen = issued <= chosen_issued ? candidate : chosen;
        chosen_issued = std::min(issued, chosen_issued);
      }
      if (chosen != nullptr) return {chosen - candidates_.data(), kNever};
    }
    return {kNone, earliest};
  }

  // The warp at `place` issues at `now`.
  void issue(Place place, Cycle now, bool stays) {
    at(place).issued = now;
    if (queues_ && place != stays_) return;
    queues_ = false;
    stays_ = stays ? place : kNone;
  }
  // Its next instruction, for `pipe`, can issue from `when` on as far as the warp is concerned; kNever: not known yet.
  void set(Place place, Pipe pipe, Cycle when) {
    at(place).pipe = pipe;
    at(place).ready = when;
  }
  void set(Place place, Cycle when) { at(place).ready = when; }
  // Until when the warp's stall count runs.
  void count(Place place, Cycle until) { counts_[static_cast<std::size_t>(place)] = until; }
  // Stall counts stand still for `cycles` from `since` on; moved(warp) is told of those that are longer for it.
  template <class Moved>
  void stand_still(Cycle since, Cycle cycles, Moved&& moved) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] < since) continue;
      counts_[i] += cycles;
      candidates_[i].ready = std::max(candidates_[i].ready, counts_[i]);
      moved(candidates_[i].warp);
    }
  }

  // The latest comer, a warp of the CTA in `slot`, which can issue nothing yet. Returns its place.
  int add(std::uint16_t warp, std::uint16_t slot) {
    if (groups_.empty() || groups_.back().slot != slot) groups_.push_back({.slot = slot});
    ++groups_.back().warps;
    candidates_.push_back({.warp = warp, .slot = slot});
    counts_.push_back(0);
    return size() - 1;
  }
  int size() const { return static_cast<int>(candidates_.size()); }
  std::uint16_t warp(Place place) const { return candidates_[static_cast<std::size_t>(place)].warp; }
  // kNever when none is known.
  Cycle earliest_ready() const {
    Cycle earliest = kNever;
    for (const Candidate& candidate : candidates_) earliest = std::min(earliest, candidate.ready);
    return earliest;
  }

  // The warps of a CTA leave; moved(warp, place) is told where the others are now.
  template <class Moved>
  void remove(std::uint16_t slot, Moved&& moved) {
    if (queues_) at(stays_).issued = issued_;
    stays_ = kNone;
    queues_ = false;
    std::erase_if(groups_, [slot](const Group& group) { return group.slot == slot; });
    std::size_t left = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].slot != slot) counts_[left++] = counts_[i];
    counts_.resize(left);
    std::erase_if(candidates_, [slot](const Candidate& candidate) { return candidate.slot == slot; });
    for (std::size_t i = 0; i < candidates_.size(); ++i) moved(candidates_[i].warp, static_cast<std::uint16_t>(i));
  }

 private:
  struct Candidate {  // a warp, as its scheduler sees it
    Cycle ready = kNever;
    Cycle issued = 0;  // last
    Pipe pipe = Pipe::none;
    std::uint16_t warp = 0;
    std::uint16_t slot = 0;  // of its CTA
  };
  struct Group {  // the warps of a CTA
    std::uint16_t slot = 0;
    std::int32_t warps = 0;
  };
  Candidate& at(Place place) { return candidates_[static_cast<std::size_t>(place)]; }

  // The warp that has issued last waits. If for a place in the queue alone, which comes later than its stall count has
  // run, and not for what an instruction before it brings, which takes longer than any stall count, it comes before
  // whatever has issued.
  void hold(Candidate& last, Cycle free) {
    const Cycle issued = queues_ ? issued_ : last.issued;
    const bool queues =
        (last.pipe == Pipe::mio || last.pipe == Pipe::lg) && last.ready - issued <= kMostStall && free > last.ready;
    issued_ = issued;
    last.issued = queues ? kFirst : issued;
    queues_ = queues;
    if (!queues) stays_ = kNone;
  }

  static constexpr Cycle kFirst = -1;
  static constexpr Cycle kMostStall = 15;

  Place stays_ = kNone;                // goes on, if it can at once
  bool queues_ = false;                // ... or when the queue that it waits for has room
  Cycle issued_ = 0;                   // ... when it has
  std::vector<Candidate> candidates_;  // in order of age
  std::vector<Cycle> counts_;          // of these: until when their stall counts run
  std::vector<Group> groups_;          // as they follow one another there
};

}  // namespace tilescope
