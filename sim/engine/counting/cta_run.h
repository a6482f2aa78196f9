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
  // A step: what it touches, and the lines its tracks lie in.
  struct Step {
    const RunShape::Phase* phase = nullptr;
    const std::uint64_t* group_line = nullptr;

    LineAddress line(const RunShape::Track& track) const {
      return LineAddress::numbered(group_line[track.group] + track.beyond);
    }
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
  // Adds to `counters` what the next step costs whatever the caches hold, and gives its touches, valid until the next
  // call. REQUIRES: left() > 0.
  Step next(const AccessCosts& costs, WorkCounters& counters);

 private:
  std::uint32_t group_of(std::uint64_t base, std::int64_t advance);

  const RunShape* shape_ = nullptr;  // the last one
  RunAccesses accesses_;             // scratch of begin()
  std::vector<std::uint64_t> base_;  // of each group, in the next step
  std::vector<std::uint64_t> line_;  // of these, as given
  std::uint32_t phase_ = 0;          // of the next step
  std::uint32_t left_ = 0;
};

}  // namespace tilescope
