// How a comparison ends: its truth is joined with a predicate by AND, OR or XOR; a second predicate takes the opposite.
#pragma once

#include "traces/sass/decoder.h"
#include "traces/sass/lanes.h"

namespace tilescope::sass {

// Into MicroOp::flags2: 0 AND, 1 OR, 2 XOR.
inline void take_joint(Decoder& d) {
  d.op().flags2 = d.take("OR") ? 1U : d.take("XOR") ? 2U : 0U;
  d.take("AND");
}

inline std::uint32_t joined(Word joint, std::uint32_t a, std::uint32_t b) {
  return joint == 0 ? a & b : joint == 1 ? a | b : a ^ b;
}

inline void join(WarpState& warp, const MicroOp& op, std::uint32_t truth, std::uint32_t mask) {
  const std::uint32_t other = predicate(warp, op.predicate_in[0]);
  set_predicate(warp, op.predicate_out[0], joined(op.flags2, truth, other), mask);
  set_predicate(warp, op.predicate_out[1], joined(op.flags2, ~truth, other), mask);
}

}  // namespace tilescope::sass
