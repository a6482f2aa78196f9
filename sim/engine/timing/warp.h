// A resident warp, as its SM keeps it.
#pragma once

#include <cstdint>
#include <memory>

#include "models/isa/kernel.h"
#include "models/scoreboards.h"
#include "sim/engine/timing/stall_account.h"

namespace tilescope {

struct Warp {
  const Instruction* pc = nullptr;   // the next instruction
  const Instruction* end = nullptr;  // of the straight run whose code the SM holds
  const Instruction* segment_end = nullptr;
  const MemoryOperand* operand = nullptr;
  const AsyncOperand* asynchronous = nullptr;
  Scoreboards scoreboards;
  IssueTimes times;  // of the next instruction
  Cycle start = 0;
  Cycle stores_left = 0;               // the SM: the last of what it has stored
  std::uint8_t barrier = 0;            // which one, when at_barrier
  Cycle barrier_open = 0;              // when past_barrier and no longer at_barrier
  std::uint32_t cluster_arrivals = 0;  // at its cluster's barrier
  bool at_cluster_barrier = false;
  bool at_barrier = false;        // has arrived, and others have not
  bool past_barrier = false;      // goes on with arithmetic since it has arrived
  bool stands = false;            // ... no longer: at_barrier, and its next instruction is something else
  bool at_fence = false;          // a memory barrier waits for what the warp has asked for and stored
  Scope fence = Scope::gpu;       // how far it reaches, when at_fence
  Cycle fence_until = 0;          // its own trip, when at_fence
  bool waits_for_memory = false;  // for an arrival that is not known yet
  bool exited = false;
  std::uint8_t sub = 0;        // sub-partition
  std::uint16_t position = 0;  // in its scheduler
  std::uint16_t slot = 0;      // of its CTA
  std::unique_ptr<WarpStream> stream;

  // Takes the stream's next segment; false when the warp has ended.
  bool next_segment() {
    Segment segment;
    if (!stream->next(segment)) return false;
    pc = segment.code;
    end = segment_end = segment.code + segment.length;
    operand = segment.operands;
    asynchronous = segment.asynchronous;
    return true;
  }
};

}  // namespace tilescope
