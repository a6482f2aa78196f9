// An asynchronous copy through L1 (LDGSTS without .BYPASS) in the data stage, which reads L1 and writes shared memory
// in one pass. Both have one port per bank, so a pass takes the lanes that no lower waiting lane keeps off: a lane
// waits when a lower one that has not gone yet reads the same bank of L1 or writes the same bank of shared memory,
// whether or not that one goes in this pass; equal words are not shared. Copies of 8 and 16 bytes go by half and
// quarter warps. Source: l1tex__data_pipe_lsu_wavefronts of 79 maps of lanes (gpu/microbench/counted_copy_maps.cu) and
// of 120 copies (counted_copies.cu) on an H100: equal in all of the first from L1, and in 117 of the second; the other
// three come from L2.
#pragma once

#include <array>
#include <cstdint>

#include "models/access_cost.h"
#include "models/isa/lane_pattern.h"
#include "models/shared_banks.h"

namespace tilescope {

// 0 when no lane takes part. Bases do not matter: copies are of whole words, and whole words only rotate the banks.
int copy_passes(const LanePattern& global, const LanePattern& shared, const SharedBanks& banks);

// The same, remembered for the copies of a loop.
class CopyPasses {
 public:
  explicit CopyPasses(const SharedBanks& banks) : banks_(banks) {}

  int of(const MemoryOperand& global, const MemoryOperand& shared, const AccessCosts& costs) {
    Entry& entry = entries_[(global.pattern * 31 + shared.pattern) % entries_.size()];
    if (entry.global != global.pattern || entry.shared != shared.pattern)
      entry = {global.pattern, shared.pattern, copy_passes(costs.pattern(global), costs.pattern(shared), banks_)};
    return entry.passes;
  }

 private:
  struct Entry {
    PatternId global = ~PatternId{0}, shared = 0;
    int passes = 0;
  };
  SharedBanks banks_;
  std::array<Entry, 64> entries_;
};

}  // namespace tilescope
