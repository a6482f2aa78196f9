// Read-modify-write operations on memory: ATOM, ATOMG, ATOMS, RED.
#pragma once

#include <cstdint>

#include "traces/sass/decoder.h"

namespace tilescope::sass {

struct AtomicRule {
  enum class Op : std::uint8_t {
    add,
    minimum,
    maximum,
    increment,
    decrement,
    bit_and,
    bit_or,
    bit_xor,
    exchange,
    compare,
    compare_tell,  // CAST: whether it swapped, not what was there
    count
  };
  enum class As : std::uint8_t { whole, whole_signed, single, double_, half2, bfloat2 };
  Op op = Op::add;
  As as = As::whole;
  int bytes = 4;
  int operands = 1;

  std::uint32_t encoded() const {
    return static_cast<std::uint32_t>(bytes) | static_cast<std::uint32_t>(op) << 8U |
           static_cast<std::uint32_t>(as) << 16U;
  }
};

AtomicRule take_atomic_rule(Decoder& d);

// Lane after lane, in order. MicroOp::flags: encoded(); first_in: operand; tensor_in[0]: the new value of a
// compare-and-swap.
void run_atomic(WarpState& warp, const MicroOp& op, std::uint32_t mask);

}  // namespace tilescope::sass
