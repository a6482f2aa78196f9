#include "traces/sass/atomic_ops.h"

#include <algorithm>
#include <cstring>

#include "traces/sass/half_float.h"
#include "traces/sass/lanes.h"
#include "traces/sass/memory_access.h"

namespace tilescope::sass {
namespace {

using Op = AtomicRule::Op;
using As = AtomicRule::As;

template <class T>
T chosen(Op op, T old, T value) {
  if (op == Op::minimum) return std::min(old, value);
  if (op == Op::maximum) return std::max(old, value);
  return old + value;
}

template <float (*From)(std::uint32_t), std::uint32_t (*To)(double)>
Wide packed_result(Op op, Wide old, Wide value) {
  Wide result = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const float a = From(static_cast<Word>(old >> (16 * half)) & 0xffffU),
                b = From(static_cast<Word>(value >> (16 * half)) & 0xffffU);
    result |= Wide{To(chosen<double>(op, a, b)) & 0xffffU} << (16 * half);
  }
  return result;
}

Wide combined(Op op, As as, int bytes, Wide old, Wide value, Wide swap) {
  const bool wide = bytes == 8;
  switch (op) {
    case Op::exchange:
      return value;
    case Op::compare:
    case Op::compare_tell:
      return old == value ? swap : old;
    case Op::bit_and:
      return old & value;
    case Op::bit_or:
      return old | value;
    case Op::bit_xor:
      return old ^ value;
    case Op::increment:
      return old >= value ? 0 : old + 1;
    case Op::decrement:
      return old == 0 || old > value ? value : old - 1;
    case Op::count:
      return old + 1;
    default:
      break;
  }
  switch (as) {
    case As::single:
      return bits_of(chosen(op, as_float(static_cast<Word>(old)), as_float(static_cast<Word>(value))));
    case As::double_:
      return bits_of(chosen(op, as_double(old), as_double(value)));
    case As::half2:
      return packed_result<from_half, to_half>(op, old, value);
    case As::bfloat2:
      return packed_result<from_bfloat, to_bfloat>(op, old, value);
    case As::whole_signed:
      if (wide) return static_cast<Wide>(chosen(op, static_cast<std::int64_t>(old), static_cast<std::int64_t>(value)));
      return static_cast<Word>(chosen(op, static_cast<std::int32_t>(old), static_cast<std::int32_t>(value)));
    default:
      return wide ? chosen(op, old, value) : chosen(op, static_cast<Word>(old), static_cast<Word>(value));
  }
}

}  // namespace

AtomicRule take_atomic_rule(Decoder& d) {
  AtomicRule rule;
  struct Name {
    std::string_view name;
    Op op;
    int operands;
  };
  static constexpr Name names[] = {{"ADD", Op::add, 1},       {"MIN", Op::minimum, 1},      {"MAX", Op::maximum, 1},
                                   {"INC", Op::increment, 1}, {"DEC", Op::decrement, 1},    {"AND", Op::bit_and, 1},
                                   {"OR", Op::bit_or, 1},     {"XOR", Op::bit_xor, 1},      {"EXCH", Op::exchange, 1},
                                   {"CAS", Op::compare, 2},   {"CAST", Op::compare_tell, 2}};
  bool found = false;
  if (d.take("POPC")) {
    d.take("INC");
    d.take("32");
    rule.op = Op::count;
    rule.operands = 0;
    found = true;
  }
  for (const Name& name : names) {
    if (found || !d.take(name.name)) continue;
    rule.op = name.op;
    rule.operands = name.operands;
    found = true;
  }
  if (!found) d.fail("no operation that is known");
  d.take("SPIN");
  if (d.take("64")) rule.bytes = 8;
  if (d.take("U64")) rule.bytes = 8;
  if (d.take("S64")) rule.bytes = 8, rule.as = As::whole_signed;
  if (d.take("S32")) rule.as = As::whole_signed;
  if (d.take("F32")) rule.as = As::single;
  if (d.take("F64")) rule.bytes = 8, rule.as = As::double_;
  if (d.take("F16x2")) rule.as = As::half2;
  if (d.take("BF16x2") || d.take("BF16_V2")) rule.as = As::bfloat2;
  d.take("U32"), d.take("FTZ"), d.take("RN");
  return rule;
}

void run_atomic(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const int bytes = static_cast<int>(op.flags & 255U);
  const auto kind = static_cast<Op>(op.flags >> 8U & 255U);
  const auto as = static_cast<As>(op.flags >> 16U & 255U);
  const bool wide = bytes == 8;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    const auto l = static_cast<std::size_t>(lane);
    const auto value_of = [&](RegisterId first) {
      const Wide low = read_register(warp, first)[l];
      return wide ? low | Wide{read_register(warp, following(first, 1))[l]} << 32U : low;
    };
    Wide old = 0;
    std::uint8_t* const to = place_to_write(warp, lane, static_cast<std::size_t>(bytes));
    // Without a result nothing is read that anybody sees.
    const std::uint8_t* const from =
        to != nullptr && is_zero(op.first_out) ? to : place_to_read(warp, lane, static_cast<std::size_t>(bytes));
    std::memcpy(&old, from, wide ? 8 : 4);
    const Wide result = combined(kind, as, bytes, old, value_of(op.first_in), value_of(op.tensor_in[0]));
    if (to != nullptr) std::memcpy(to, &result, wide ? 8 : 4);
    if (kind == Op::compare_tell) {
      written_register(warp, op.first_out)[l] = old == value_of(op.first_in) ? 1 : 0;
      continue;
    }
    written_register(warp, op.first_out)[l] = static_cast<Word>(old);
    if (wide) written_register(warp, following(op.first_out, 1))[l] = static_cast<Word>(old >> 32U);
  }
}

}  // namespace tilescope::sass
