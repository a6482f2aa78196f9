// How a comparison ends: its truth is joined with a predicate by AND, OR or XOR; a second predicate takes the opposite.
#pragma once

#include "traces/sass/decoder.h"
#include "traces/sass/float_compare.h"
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

// The operands that the comparisons of real numbers have in common, and what executes them: FSETP P0, P1, a, b, P2;
// with a register as the result FSET R0, a, b, P2.
inline void take_compared(Decoder& d, bool to_register, Type type, Execute run, OpClass op) {
  if (to_register) {
    d.out();
  } else {
    d.predicate_out(0);
    d.predicate_out(1);
  }
  d.in(0, type);
  d.in(1, type);
  d.predicate_in(0);
  d.op().run = run;
  d.decoded.instruction.op = op;
}

// The next modifier as a comparison of real numbers (float_compare.h).
inline Word take_comparison(Decoder& d) {
  const std::string name = d.take_any();
  const Word bits = comparison_bits(name);
  if (bits > 15) d.fail("comparison ." + name);
  return bits & 15U;
}

}  // namespace tilescope::sass
