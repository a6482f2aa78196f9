// An instruction decoded once: a function that executes it for 32 lanes, and where its operands are.
#pragma once

#include <array>
#include <cstdint>

#include "traces/sass/warp_state.h"

namespace tilescope::sass {

// A source operand. Indices name registers while decoding, slots after the slice; a negative one is ~(index in pool).
struct Source {
  enum Modifier : std::uint8_t {
    negate_int = 1,  // two's complement; of a wide operand the whole
    invert = 2,      // ~
    absolute_float = 4,
    negate_float = 8,  // sign bit; of a wide operand the high word's
    absolute_half = 16,
    negate_half = 32,  // both halves
    low_half = 64,     // H0_H0
    high_half = 128,   // H1_H1
  };
  std::int32_t low = kRZ;
  std::int32_t high = kRZ;  // of a 64-bit operand
  std::uint8_t modifiers = 0;
};

struct PredicateSource {
  std::uint8_t index = 7;  // in WarpState::predicates
  bool inverted = false;
};

struct MicroOp;
// Executes for the lanes of the mask (guard applied).
using Execute = void (*)(WarpState&, const MicroOp&, std::uint32_t lanes);

// What a result does when the sources move evenly, by as much in each turn of a loop (loop_run.h).
enum class Linear : std::uint8_t {
  none,              // nothing is known, unless no source moves
  sum,               // of in[0], in[1], in[2], 32 bit
  carry_sum,         // of the same, with carries in (predicate_in) and out (predicate_out): add3_carry
  product,           // in[0] * in[1] + in[2], 32 bit
  wide_product,      // in[0] * in[1] + in[2], the factors signed, the rest 64 bit
  unsigned_product,  // the same, the factors unsigned
  compare,           // flags as ISETP's; joined with predicates
};

struct MicroOp {
  Execute run = nullptr;
  std::array<Source, 4> in;
  std::int32_t out = kRZ, out_high = kRZ;  // registers, later slots
  std::array<std::uint8_t, 2> predicate_out = {7, 7};
  std::array<PredicateSource, 3> predicate_in;
  std::uint8_t guard = 7;
  bool guard_inverted = false;
  Linear linear = Linear::none;
  bool whole_warp = false;  // uniform datapath: its results are one for the warp
  std::uint32_t flags = 0;  // each function's own: comparison, truth table, width, rounding
  std::uint32_t flags2 = 0;
  std::uint32_t instruction = 0;  // index in the kernel's code
  // Operands of several registers stay register numbers (LaunchState::slot): data of memory and tensor instructions.
  RegisterId first_out = kRZ, first_in = kRZ;
  std::array<RegisterId, 3> tensor_in = {kRZ, kRZ, kRZ};
};

constexpr RegisterId following(RegisterId first, int steps) {
  return is_zero(first) ? first : static_cast<RegisterId>(first + steps);
}

}  // namespace tilescope::sass
