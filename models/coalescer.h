// Global-memory coalescing: which 128 B lines, and which 32 B sectors of them, one warp-wide instruction touches, and
// how many passes it takes through the L1's data stage.
//
// One instruction is one *request*. Its lanes' bytes fall into sectors; each distinct sector moves once. The data stage
// has the same 32 banks as shared memory, without the merging of phases. Source: data wavefronts of strided loads in
// tests/data/published_curves.csv.
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/lane_pattern.h"
#include "models/shared_banks.h"
#include "models/split_passes.h"
#include "models/support/units.h"

namespace tilescope {

struct LineSectors {
  std::int64_t line = 0;  // lines from the line that holds the base
  SectorMask sectors;
  SectorMask whole;         // of these, the lanes cover all 32 B
  std::uint32_t words = 0;  // a bit for each word of 4 B that they cover
};

struct Footprint {
  std::vector<LineSectors> lines;    // distinct lines, in lane order
  std::int32_t sectors = 0;          // distinct sectors over all lines
  std::int32_t data_wavefronts = 0;  // passes through the data stage, of a load when all lines come together
  std::vector<LineBanks> banks;      // of each line; empty where lines that come apart take no more passes
};

// `base_in_line` is the base modulo 128, in byte. REQUIRES: each lane's address is a multiple of its width.
Footprint global_footprint(const LanePattern& pattern, int base_in_line, const SharedBanks& banks);

}  // namespace tilescope
