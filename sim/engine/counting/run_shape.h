// Steps of a CTA that repeat: all of its warps take equal segments, step after step, whose addresses move evenly, as in
// a loop over k. Which lines such steps touch, in which order, is worked out once for all CTAs that do the same at
// another place of memory. Accesses that move by the same stride form a *group*; a line is known by its group and its
// distance from the group's first. So a step is a walk along *tracks*, lines that move by whole lines, each looked at
// once however many warps and instructions touch it.
//
// Addresses that move by less than a line take the same place in theirs again after some steps: these are the shape's
// phases, and each has tracks of its own. Nothing is approximated: the same lines are looked up in the same order as
// access by access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "models/access_cost.h"
#include "models/isa/kernel.h"
#include "sim/engine/counting/segment_totals.h"

namespace tilescope {

// An access of one of the CTA's warps, in order.
struct RunAccess {
  PatternId pattern = 0;
  AccessKind access = AccessKind::global_load;
  bool cached = false;       // loads: looks in L1
  bool whole_line = false;   // loads: Instruction::whole_line
  bool turn = false;         // on no lane: takes a turn at the data stage
  std::uint32_t group = 0;   // no meaning on no lane, as what follows
  std::uint64_t beyond = 0;  // byte, from the first base of the group
  Cycle when = 0;            // LineAccess::when
  bool operator==(const RunAccess&) const = default;
};

// What the steps of a CTA touch, but for where its groups begin.
struct RunAccesses {
  struct Group {
    std::int64_t advance = 0;   // byte, from step to step
    std::uint64_t in_line = 0;  // where in its line the first base lies in the first step
    bool operator==(const Group&) const = default;
  };
  std::vector<RunAccess> all;
  std::vector<Group> groups;
  bool operator==(const RunAccesses&) const = default;
};

class RunShape {
 public:
  // A line that an access touches.
  struct Touch {
    std::uint32_t track = 0;
    std::uint32_t loads_before = 0;  // of the step's touches before this one
    SectorMask sectors, whole;
    std::uint32_t words = 0;  // LineSectors::words
    AccessKind access = AccessKind::global_load;
    bool cached = false, whole_line = false;
    bool joins = false;  // lsu.miss_join_cycles: asks with an earlier touch of its line that has missed, too
  };
  struct Track {
    std::uint32_t group = 0;
    std::uint32_t touches = 0;  // its first in Phase::of_tracks
    std::uint64_t beyond = 0;   // lines, from the one that holds the group's first base
  };
  // An access whose cycles in the tag stage depend on its line.
  struct Tagged {
    const Footprint* footprint = nullptr;
    std::uint64_t beyond = 0;
    std::uint32_t times = 0;
  };
  // What belongs to one of the accesses' groups.
  struct Group {
    std::vector<std::uint32_t> tracks;
    std::vector<Tagged> tagged;
    // Its tracks have the same distances as in the phase before (the last one before the first), in the same order; and
    // what is tagged takes as long while the group's first line stays.
    bool tracks_as_before = false, tags_as_before = false;
  };
  struct Sum {  // of one kind of access
    AccessKind access = AccessKind::global_load;
    std::uint64_t requests = 0, sectors = 0;
  };
  struct Phase {
    std::vector<Touch> touches;  // in order
    std::vector<Track> tracks;
    std::vector<std::uint32_t> of_tracks;  // touches, by track, in order
    std::uint32_t loads = 0;               // touches
    std::vector<Group> groups;
    std::vector<Sum> sums;
    std::uint64_t tag_cycles = 0;  // of what is not tagged
    std::uint64_t data_wavefronts = 0;
  };

  // `open`: as of RunShapes.
  RunShape(RunAccesses accesses, std::uint32_t phases, const AccessCosts& costs, Cycle open);

  const RunAccesses& accesses() const { return accesses_; }
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  void compare_with_phase_before();

  RunAccesses accesses_;
  std::vector<Phase> phases_;
};

// The shapes of one launch. Safe to use from several threads.
class RunShapes {
 public:
  // `open`: cycles from look-up for which a missing line can be joined (lsu.miss_join_cycles).
  explicit RunShapes(Cycle open) : open_(open) {}
  // Null for accesses that are not worth it: too many phases or too many lines for a run of `steps` steps, or yet
  // another shape where every CTA seems to have its own.
  const RunShape* shape_of(const RunAccesses& accesses, std::uint32_t steps, const AccessCosts& costs);

 private:
  static constexpr std::uint32_t kMostPhases = 32;
  static constexpr std::size_t kMostTouches = 65536;  // of a shape
  static constexpr std::size_t kMostShapes = 256;

  Cycle open_;
  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<const RunShape>> known_;  // by hash
};

}  // namespace tilescope
