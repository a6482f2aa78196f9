// What one segment adds to the counters whatever its addresses are: instruction mix and shared-memory wavefronts.
// Worked out once per segment key, then multiplied.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/access_cost.h"
#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/pipes.h"
#include "sim/engine/attribution.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

// An access of a segment that goes through the L1's tags: global or local memory.
struct LineAccess {
  std::uint32_t operand = 0;   // index into Segment::operands
  std::uint32_t position = 0;  // index into Segment::code
  AccessKind access = AccessKind::global_load;
  bool first = true;  // of its instruction's
  Cycle when = 0;     // it is looked up in L1, after the segment's first instruction and on an empty SM
};

// An access of a segment to shared memory.
struct SharedAccess {
  std::uint32_t position = 0;  // index into Segment::code
  AccessKind access = AccessKind::shared_load;
  std::uint32_t wavefronts = 0, ideal = 0;
};

struct SegmentTotals {
  std::array<std::uint32_t, kOpClasses> instructions{};
  Cycle busy = 0;  // cycles the segment keeps the fullest shared resource of an SM busy
  // A warp on an empty SM: cycles it needs when everything is near, and how long after the segment's begin it first
  // needs a value that the segment loads from global memory; `alone` when it leaves that to a later segment.
  Cycle alone = 0;
  Cycle slack = 0;
  bool loads_lines = false;
  std::uint64_t operand_rows = 0;    // WorkCounters::operand_rows
  std::vector<LineAccess> lines;     // in order
  std::vector<SharedAccess> shared;  // in order
  const Instruction* code = nullptr;
  std::uint32_t length = 0;

  // `times` segments of this kind.
  void add_to(SmCounters& counters, std::uint64_t times) const;
  void add_to(Attribution& attribution, std::uint64_t times) const;
};

// REQUIRES: the segment comes from a stream started with Operands::all.
SegmentTotals totals_of(const Segment& segment, const AccessCosts& costs, const PipeTable& pipes, const GpuSpec& gpu);

}  // namespace tilescope
