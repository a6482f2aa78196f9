// An asynchronous copy through L1 (LDGSTS without .BYPASS) in the data stage: one pass to look at what it reads, then the
// lines of global memory one after the other, each in as many passes as shared memory takes to store that line's lanes;
// copies of 8 and 16 bytes by half and quarter warps. Source: l1tex__data_pipe_lsu_wavefronts of 84 copies by lines,
// widths and order of lanes, H100 (gpu/microbench/counted_copies.cu): equal where the lanes of a line have the order of
// its words; where they do not, hardware may take more.
#pragma once

#include <array>
#include <cstdint>

#include "models/isa/lane_pattern.h"
#include "models/shared_banks.h"

namespace tilescope {

// The passes that write. `base_in_line`: the global base modulo a line. 0 when no lane takes part.
int copy_passes(const LanePattern& global, int base_in_line, const LanePattern& shared, const SharedBanks& banks);

// The same, remembered for the copies of a loop.
class CopyPasses {
 public:
  explicit CopyPasses(const SharedBanks& banks) : banks_(banks) {}

  // `pattern_of(operand)`: its lanes.
  template <class PatternOf>
  int of(const MemoryOperand& global, const MemoryOperand& shared, PatternOf&& pattern_of) {
    const Key key{global.pattern, shared.pattern, static_cast<int>(global.base % kLineBytes)};
    Entry& entry = entries_[(key.global * 31 + key.shared * 7 + static_cast<std::uint32_t>(key.base)) % entries_.size()];
    if (entry.key != key) entry = {key, copy_passes(pattern_of(global), key.base, pattern_of(shared), banks_)};
    return entry.passes;
  }

 private:
  struct Key {
    PatternId global = ~PatternId{0}, shared = 0;
    int base = 0;  // modulo a line
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    int passes = 0;
  };
  SharedBanks banks_;
  std::array<Entry, 64> entries_;
};

}  // namespace tilescope
