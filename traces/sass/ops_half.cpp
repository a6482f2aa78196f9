// Half precision, two numbers in a register: HADD2, HMUL2, HFMA2, comparisons, minima; FP16 and, with .BF16_V2, BF16.
#include <cmath>

#include "traces/sass/float_compare.h"
#include "traces/sass/half_float.h"
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"
#include "traces/sass/predicate_join.h"

namespace tilescope::sass {
namespace {

constexpr Word kBfloat = 1, kSaturate = 2, kRelu = 4;

double part(Word word, unsigned half, Word flags) {
  const Word bits = word >> (16 * half) & 0xffffU;
  return (flags & kBfloat) != 0 ? from_bfloat(bits) : from_half(bits);
}
Word pack(double low, double high, Word flags) {
  const auto one = [flags](double value) {
    if ((flags & kSaturate) != 0) value = std::isnan(value) ? 0 : std::fmin(std::fmax(value, 0.0), 1.0);
    if ((flags & kRelu) != 0 && value < 0) value = 0;
    return ((flags & kBfloat) != 0 ? to_bfloat(value) : to_half(value)) & 0xffffU;
  };
  return one(low) | one(high) << 16U;
}

// Sums and products of two halves are exact in double precision; they are rounded once.
Word add(Word a, Word b, Word, Word flags) {
  return pack(part(a, 0, flags) + part(b, 0, flags), part(a, 1, flags) + part(b, 1, flags), flags);
}
Word multiply(Word a, Word b, Word, Word flags) {
  return pack(part(a, 0, flags) * part(b, 0, flags), part(a, 1, flags) * part(b, 1, flags), flags);
}
Word multiply_add(Word a, Word b, Word c, Word flags) {
  const auto one = [&](unsigned half) { return part(a, half, flags) * part(b, half, flags) + part(c, half, flags); };
  return pack(one(0), one(1), flags);
}
// HADD2.F32: a half as a single.
Word add_to_single(Word a, Word b, Word, Word flags) {
  return bits_of(static_cast<float>(part(a, 0, flags) + part(b, 0, flags)));
}

template <Word (*F)(Word, Word, Word, Word), int Sources>
void decode_arithmetic(Decoder& d) {
  const bool bfloat = d.take("BF16_V2") || d.take("BF16");
  d.op().flags = (bfloat ? kBfloat : 0U) | (d.take("SAT") ? kSaturate : 0U) | (d.take("RELU") ? kRelu : 0U);
  const bool on_tensor_pipe = d.take("MMA");
  d.take("FTZ");
  const bool single = F == add && d.take("F32");
  d.out();
  for (std::size_t i = 0; i < Sources; ++i) d.in(i, bfloat ? Type::bfloat : Type::half);
  d.op().run = single ? lanewise<add_to_single> : lanewise<F>;
  set_class(d, on_tensor_pipe ? OpClass::half_tensor : single ? OpClass::imad : OpClass::half);
}

void minimum(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const std::uint32_t least = predicate(warp, op.predicate_in[0]);
  for (std::size_t l = 0; l < kLanes; ++l) {
    const bool smaller = (least >> l & 1U) != 0;
    // With .NAN a NaN wins, otherwise the number beside it.
    const auto of_half = [&](unsigned half) {
      const float x = part(a[l], half, op.flags), y = part(b[l], half, op.flags);
      return op.flags2 != 0 && (std::isnan(x) || std::isnan(y)) ? x + y : extreme(x, y, smaller);
    };
    result[l] = pack(of_half(0), of_half(1), op.flags);
  }
  merge(output(warp, op.out), result, mask);
}

void decode_minimum(Decoder& d) {
  d.op().flags = d.take("BF16_V2") ? kBfloat : 0U;
  d.op().flags2 = d.take("NAN") ? 1U : 0U;
  d.take("FTZ");
  d.out();
  d.in(0, Type::half);
  d.in(1, Type::half);
  d.predicate_in(0);
  d.op().run = minimum;
  set_class(d, OpClass::alu);
}

std::uint32_t compared(const LaneArray& a, const LaneArray& b, unsigned half, Word comparison, Word flags) {
  std::uint32_t truth = 0;
  for (std::size_t l = 0; l < kLanes; ++l)
    truth |= static_cast<std::uint32_t>(compares(part(a[l], half, flags), part(b[l], half, flags), comparison)) << l;
  return truth;
}

// HSETP2: the low halves into the first predicate, the high halves into the second; .H_AND both into the first.
// flags: as arithmetic, 8 H_AND, comparison from bit 4
void compare(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const std::uint32_t low = compared(a, b, 0, op.flags >> 4U, op.flags),
                      high = compared(a, b, 1, op.flags >> 4U, op.flags);
  const std::uint32_t other = predicate(warp, op.predicate_in[0]);
  const bool both = (op.flags & 8U) != 0;
  set_predicate(warp, op.predicate_out[0], joined(op.flags2, both ? low & high : low, other), mask);
  set_predicate(warp, op.predicate_out[1], joined(op.flags2, both ? ~(low & high) : high, other), mask);
}

// HSET2: the truth of each half as 1.0 (.BF) or all ones.
void compare_to_register(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const std::uint32_t other = predicate(warp, op.predicate_in[0]);
  const std::uint32_t low = joined(op.flags2, compared(a, b, 0, op.flags >> 4U & 15U, op.flags), other),
                      high = joined(op.flags2, compared(a, b, 1, op.flags >> 4U & 15U, op.flags), other);
  const Word one = (op.flags & 256U) == 0 ? 0xffffU : (op.flags & kBfloat) != 0 ? 0x3f80U : 0x3c00U;
  for (std::size_t l = 0; l < kLanes; ++l) result[l] = (low >> l & 1U) * one | (high >> l & 1U) * one << 16U;
  merge(output(warp, op.out), result, mask);
}

template <bool ToRegister>
void decode_compare(Decoder& d) {
  const bool number = ToRegister && d.take("BF");
  const Word flags = (number ? 256U : 0U) | (d.take("BF16_V2") ? kBfloat : 0U) | (d.take("H_AND") ? 8U : 0U);
  d.take("FTZ");
  d.op().flags = flags | take_comparison(d) << 4U;
  take_joint(d);
  take_compared(d, ToRegister, Type::half, ToRegister ? compare_to_register : compare, OpClass::half);
}

}  // namespace

std::span<const OpEntry> half_ops() {
  static constexpr OpEntry entries[] = {
      {"HADD2", decode_arithmetic<add, 2>},
      {"HMUL2", decode_arithmetic<multiply, 2>},
      {"HFMA2", decode_arithmetic<multiply_add, 3>},
      {"HMNMX2", decode_minimum},
      {"HSETP2", decode_compare<false>},
      {"HSET2", decode_compare<true>},
  };
  return entries;
}

}  // namespace tilescope::sass
