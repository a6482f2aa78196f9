// Steps of a CTA that repeat: all of its warps take equal segments, step after step, whose addresses move evenly, as in
// a loop over k. Which lines such steps touch, in which order, is worked out once; afterwards a step is a walk along
// *tracks*, lines that move by whole lines, each looked at once however many warps and instructions touch it.
//
// Addresses that move by less than a line take the same place in theirs again after some steps: these are the run's
// phases, and each has tracks of its own. Nothing is approximated: the same lines are looked up in the same order as
// access by access.
#pragma once

#include <cstdint>
#include <vector>

#include "models/access_cost.h"
#include "models/isa/kernel.h"
#include "sim/engine/counting/segment_totals.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

class CtaRun {
 public:
  // What one warp executes in each step: operands of the first step, and by how many bytes each moves.
  struct Part {
    const Segment* segment = nullptr;
    const std::int64_t* advance = nullptr;
    const SegmentTotals* totals = nullptr;
  };
  // A line that a warp's access touches.
  struct Touch {
    std::uint32_t track = 0;
    std::uint32_t loads_before = 0;  // of the step's touches before this one
    SectorMask sectors, whole;
    AccessKind access = AccessKind::global_load;
    bool cached = false;  // loads: looks in L1
  };
  struct Track {
    std::uint64_t line = 0;  // of the phase's next step
    std::uint64_t moves = 0;
    std::uint32_t touches = 0;  // first of its own in Phase::of_tracks
  };
  struct Phase {
    std::vector<Touch> touches;  // in order
    std::vector<Track> tracks;
    std::vector<std::uint32_t> of_tracks;  // touches, by track, in order
    std::uint32_t loads = 0;               // touches
  };

  // Fewer steps than this are not worth it.
  static constexpr std::uint32_t kFewest = 4;

  // Begins a run of `steps` steps; false, and nothing begins, when these are not of the kind that this class is for.
  // REQUIRES: parts with lines of plain global accesses only (plain()).
  bool begin(const std::vector<Part>& parts, std::uint32_t steps, const AccessCosts& costs);
  static bool plain(const SegmentTotals& totals);

  std::uint32_t left() const { return left_; }
  void stop() { left_ = 0; }
  // Adds to `counters` what the next step costs whatever the caches hold, and gives its touches. Valid until the next
  // call; then the phase's lines are those of its next step. REQUIRES: left() > 0.
  const Phase& next(const AccessCosts& costs, WorkCounters& counters);

 private:
  struct Operand {
    MemoryOperand at;  // in the run's first step
    std::int64_t advance = 0;
    AccessKind access = AccessKind::global_load;
    bool cached = false;
    bool nothing = false;  // no lane: at most a turn at the data stage
    bool turn = false;
  };
  // An access whose cycles in the tag stage depend on its line.
  struct Tagged {
    const Footprint* footprint = nullptr;
    std::uint64_t line = 0;  // of the base, in the phase's next step
    std::uint64_t moves = 0;
    std::uint32_t times = 0;
  };
  struct Sum {  // of one kind of access
    AccessKind access = AccessKind::global_load;
    std::uint64_t requests = 0, sectors = 0;
  };
  struct Full {
    Phase phase;
    std::vector<Tagged> tagged;
    std::vector<Sum> sums;
    std::uint64_t tag_cycles = 0, data_wavefronts = 0;
    bool made = false;
  };
  static constexpr std::uint32_t kMostPhases = 32;
  static constexpr std::size_t kMostTouches = 8192;  // of all phases

  void make(Full& full, std::uint32_t index, const AccessCosts& costs);
  std::uint32_t track_of(Full& full, std::uint64_t line, std::uint64_t moves);
  void tag(Full& full, const Footprint& footprint, std::uint64_t line, std::uint64_t moves);

  std::vector<Operand> operands_;
  std::vector<Full> phases_;
  std::uint32_t in_use_ = 0;  // of them
  std::uint32_t at_ = 0;      // phase of the next step
  std::uint32_t left_ = 0;
  std::vector<std::uint32_t> places_;  // hash table of tracks: index + 1
};

}  // namespace tilescope
