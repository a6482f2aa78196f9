// What one segment adds to the counters whatever its addresses are: instruction mix and shared-memory wavefronts.
// Worked out once per segment key, then multiplied.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/pipes.h"
#include "sim/engine/sm_counters.h"
#include "sim/engine/timing/attribution.h"

namespace tilescope {

// A global-memory instruction of a segment.
struct GlobalAccess {
  std::uint32_t operand = 0;   // index into Segment::operands
  std::uint32_t position = 0;  // index into Segment::code
  bool is_load = false;
  bool cached = true;
};

// A shared-memory instruction of a segment.
struct SharedAccess {
  std::uint32_t position = 0;  // index into Segment::code
  bool is_load = false;
  std::uint32_t wavefronts = 0, ideal = 0;  // 0: every lane off
};

struct SegmentTotals {
  std::array<std::uint32_t, kOpClasses> instructions{};
  std::uint32_t shared_load_wavefronts = 0, shared_load_ideal = 0;
  std::uint32_t shared_store_wavefronts = 0, shared_store_ideal = 0;
  std::uint32_t shared_nothing = 0;  // shared-memory instructions with every lane off: a data wavefront each
  Cycle busy = 0;                    // cycles the segment keeps the fullest shared resource of an SM busy
  // A warp on an empty SM: cycles it needs when everything is near, and how long after the segment's begin it first
  // needs a value that the segment loads from global memory; `alone` when it leaves that to a later segment.
  Cycle alone = 0;
  Cycle slack = 0;
  bool loads_global = false;
  std::vector<GlobalAccess> global;  // in order
  std::vector<SharedAccess> shared;  // in order
  const Instruction* code = nullptr;
  std::uint32_t length = 0;

  // `times` segments of this kind.
  void add_to(SmCounters& counters, std::uint64_t times) const;
  void add_to(Attribution& attribution, std::uint64_t times) const;
};

// REQUIRES: the segment comes from a stream started with Operands::all.
SegmentTotals totals_of(const Segment& segment, const PatternTable& patterns, const PipeTable& pipes,
                        const GpuSpec& gpu);

}  // namespace tilescope
