// What a copy past L1 (cp.async.cg, LDGSTS.BYPASS) brings from L2 where it shifts its source by half a sector: rows
// that are padded by 16 bytes in shared memory.
//
// A sector of shared memory is filled from one source sector by one request. A request holds sectors of one source line
// for one line of shared memory. Where the halves of a sector of shared memory come from different source sectors, it
// takes two: one for upper halves, one for lower ones. A copy is counted by the sectors of shared memory that each
// source line fills; what comes from L2, by pairs of a source sector and a sector of shared memory. Source: counters of
// gemm_grouped with padded rows, H200 and H100 (gpu/measured/h200/families): rows of 64 and 128 bytes read 5/4 and 9/8
// of their sectors, and 3/2 of them come from L2.
#pragma once

#include "models/coalescer.h"

namespace tilescope {

// The lanes of a copy on both sides, of 16 bytes each, and the bases.
struct CopyLanes {
  const LanePattern& from;
  std::uint64_t from_base = 0;
  const LanePattern& to;
  std::uint64_t to_base = 0;
};

// Some lane's place in its source sector differs from its place in its sector of shared memory, and not all lanes of a
// sector change places.
bool is_shifted(const CopyLanes& lanes);

// A line for each request, so that one may occur several times; `sectors` as counted. Passes of the data stage are not
// worked out. REQUIRES: is_shifted.
Footprint shifted_footprint(const CopyLanes& lanes);

}  // namespace tilescope
