// Where a CTA stands in steps that repeat (run_shape.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/counting/run_shape.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

class CtaRun {
 public:
  // What one warp executes in each step: its first segment, and by how many bytes each operand moves.
  struct Part {
    const Segment* segment = nullptr;
    const std::int64_t* advance = nullptr;
    const SegmentTotals* totals = nullptr;
  };

  // Fewer steps than this are not worth it.
  static constexpr std::uint32_t kFewest = 4;

  // Only loads and stores of global memory, and nothing that drops lines of L1.
  static bool plain(const SegmentTotals& totals);
  // Begins a run of `steps` steps, or does nothing and returns false when the shapes say that it is not worth it.
  // REQUIRES: all parts are plain.
  bool begin(const std::vector<Part>& parts, std::uint32_t steps, const AccessCosts& costs, RunShapes& shapes);
  void stop() { left_ = 0; }
  std::uint32_t left() const { return left_; }
  // Adds to `counters` what the next step costs whatever the caches hold, and gives its touches. REQUIRES: left() > 0.
  const RunShape::Phase& next(const AccessCosts& costs, WorkCounters& counters);
  // Of the last step: the line that a track lies in.
  LineAddress line(const RunShape::Track& track) const {
    return LineAddress::numbered(groups_[track.group].line + track.beyond);
  }
  // Of the last step: calls found(track) for the tracks whose line `keeps`. REQUIRES: called for every step or for
  // none.
  template <class Keeps, class Found>
  void each_kept(const RunShape::Phase& phase, Keeps keeps, Found found) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const RunShape::Group& group = phase.groups[g];
      Group& own = groups_[g];
      if (own.moved || !group.tracks_as_before) {
        own.kept.clear();
        for (std::uint32_t i = 0; i < group.tracks.size(); ++i)
          if (keeps(line(phase.tracks[group.tracks[i]]))) own.kept.push_back(i);
      }
      for (const std::uint32_t i : own.kept) found(group.tracks[i]);
    }
  }

 private:
  struct Group {
    std::uint64_t base = 0;           // in the next step
    std::uint64_t line = 0;           // of the last one
    bool moved = true;                // to this line, since the step before
    std::uint64_t tag_cycles = 0;     // of the last step
    std::vector<std::uint32_t> kept;  // of RunShape::Group::tracks
  };

  std::uint32_t group_of(std::uint64_t base, std::int64_t advance);

  const RunShape* shape_ = nullptr;  // the last one
  std::uint32_t phase_ = 0;          // of the next step
  std::uint32_t left_ = 0;
  std::vector<Group> groups_;
  RunAccesses accesses_;  // scratch of begin()
};

}  // namespace tilescope
