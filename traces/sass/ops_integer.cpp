// Integer arithmetic: additions, multiplications, minima, bit counts. The uniform datapath's opcodes (U...) do the
// same.
#include <algorithm>
#include <bit>

#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

using Int = std::int32_t;
using Long = std::int64_t;

Word add3(Word a, Word b, Word c, Word) { return a + b + c; }
Word multiply_add(Word a, Word b, Word c, Word) { return a * b + c; }
Word absolute(Word a, Word, Word, Word) { return static_cast<Int>(a) < 0 ? 0U - a : a; }
Word population(Word a, Word, Word, Word) { return static_cast<Word>(std::popcount(a)); }
Word reversed(Word a, Word, Word, Word) {
  a = (a >> 1U & 0x55555555U) | (a & 0x55555555U) << 1U;
  a = (a >> 2U & 0x33333333U) | (a & 0x33333333U) << 2U;
  a = (a >> 4U & 0x0f0f0f0fU) | (a & 0x0f0f0f0fU) << 4U;
  return std::rotl((a >> 8U & 0x00ff00ffU) | (a & 0x00ff00ffU) << 8U, 16);
}
// flags: 1 unsigned, 2 as a shift count
Word leading_one(Word a, Word, Word, Word flags) {
  if ((flags & 1U) == 0 && static_cast<Int>(a) < 0) a = ~a;
  if (a == 0) return ~Word{0};
  const auto from_top = static_cast<Word>(std::countl_zero(a));
  return (flags & 2U) != 0 ? from_top : 31U - from_top;
}
// |a - b| + c; flags: 1 unsigned
Word absolute_difference(Word a, Word b, Word c, Word flags) {
  const bool less = (flags & 1U) != 0 ? a < b : static_cast<Int>(a) < static_cast<Int>(b);
  return (less ? b - a : a - b) + c;
}
Word add_halves(Word a, Word b, Word, Word) { return ((a + b) & 0xffffU) | ((a >> 16U) + (b >> 16U)) << 16U; }

Wide multiply_wide(Word a, Word b, Wide c) {
  return static_cast<Wide>(Long{static_cast<Int>(a)} * static_cast<Int>(b)) + c;
}
Wide multiply_wide_unsigned(Word a, Word b, Wide c) { return Wide{a} * b + c; }
Wide add3_wide(Wide a, Wide b, Wide c, Word) { return a + b + c; }

// Four products of bytes (4A) or two of halves and bytes (2A); flags: 1 a unsigned, 2 b unsigned, 4 halves, 8 high
// pair.
Word dot_product(Word a, Word b, Word c, Word flags) {
  const auto part = [](Word word, unsigned bits, unsigned at, bool is_unsigned) {
    const Word value = word >> at & ((1U << bits) - 1U);
    return is_unsigned ? value : static_cast<Word>(static_cast<Int>(value << (32 - bits)) >> (32 - bits));
  };
  const bool halves = (flags & 4U) != 0;
  for (unsigned i = 0; i < (halves ? 2U : 4U); ++i)
    c += part(a, halves ? 16 : 8, i * (halves ? 16U : 8U), (flags & 1U) != 0) *
         part(b, 8, i * 8U + ((flags & 8U) != 0 ? 16U : 0U), (flags & 2U) != 0);
  return c;
}

// A sum with carries in and out. A negated source counts as its complement plus one, as the adder does it.
// flags: bit i: source i is negated.
void add3_carry(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  std::array<LaneArray, 3> scratch;
  std::array<const LaneArray*, 3> in{};
  for (std::size_t i = 0; i < 3; ++i) in[i] = &load(warp, op.in[i], scratch[i]);
  const std::uint32_t carry1 = predicate(warp, op.predicate_in[0]), carry2 = predicate(warp, op.predicate_in[1]);
  const bool with_carry = (op.flags & 8U) != 0;
  // Of a negated source the complement is added, and one more in every lane.
  std::array<Word, 3> complement{};
  Word ones = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    complement[i] = 0U - (op.flags >> i & 1U);
    ones += op.flags >> i & 1U;
  }
  LaneArray extra, result, above;
  extra.fill(ones);
  if (with_carry) {
    for (std::size_t l = 0; l < kLanes; ++l)
      extra[l] += Word{(carry1 & kLaneBit[l]) != 0} + Word{(carry2 & kLaneBit[l]) != 0};
  }
  const LaneArray &a = *in[0], &b = *in[1], &c = *in[2];
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Word first = a[l] ^ complement[0], last = c[l] ^ complement[2];
    const Word of_two = first + (b[l] ^ complement[1]), of_three = of_two + last, all = of_three + extra[l];
    result[l] = all;
    above[l] = Word{of_two < first} + Word{of_three < last} + Word{all < extra[l]};
  }
  merge(output(warp, op.out), result, mask);
  for (std::size_t i = 0; i < 2; ++i) {
    if (op.predicate_out[i] % 8U == 7) continue;
    std::array<std::uint8_t, kLanes> truth;
    for (std::size_t l = 0; l < kLanes; ++l) truth[l] = above[l] > i ? 1 : 0;
    set_predicate(warp, op.predicate_out[i], packed(truth), mask);
  }
}

void multiply_add_carry(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, sc, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const LaneArray& c = load(warp, op.in[2], sc);
  const std::uint32_t carry = predicate(warp, op.predicate_in[0]);
  for (std::size_t l = 0; l < kLanes; ++l) result[l] = a[l] * b[l] + c[l] + (carry >> l & 1U);
  merge(output(warp, op.out), result, mask);
}

// IMAD.WIDE and IMAD.HI with a carry out, and their .X with a carry in: a * b + c, c a register pair; Hi: its high
// word alone. flags: 1 unsigned, 2 carry in
template <bool Hi>
void multiply_carry(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, high;
  WideLanes c, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  load_wide(warp, op.in[2], c);
  const std::uint32_t carry = (op.flags & 2U) != 0 ? predicate(warp, op.predicate_in[0]) : 0;
  if ((op.flags & 1U) != 0)
    for (std::size_t l = 0; l < kLanes; ++l) result.lane[l] = multiply_wide_unsigned(a[l], b[l], 0);
  else
    for (std::size_t l = 0; l < kLanes; ++l) result.lane[l] = multiply_wide(a[l], b[l], 0);
  std::array<std::uint8_t, kLanes> carries{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Wide product = result.lane[l], sum = product + c.lane[l], with_carry = sum + (carry >> l & 1U);
    result.lane[l] = with_carry;
    high[l] = static_cast<Word>(with_carry >> 32U);
    carries[l] = sum < product || with_carry < sum ? 1 : 0;
  }
  if (Hi)
    merge(output(warp, op.out), high, mask);
  else
    store_wide(warp, op, result, mask);
  set_predicate(warp, op.predicate_out[0], packed(carries), mask);
}

enum MinimumFlags : Word { kUnsigned = 1, kAdds = 2, kThree = 4, kHalves = 8 };

Word lesser(Word x, Word y, bool least, Word flags) {
  if ((flags & kHalves) != 0) {
    const auto half = [&](Word shift) {  // as the upper half of a word
      return lesser(x << shift, y << shift, least, flags & kUnsigned) & 0xffff0000U;
    };
    const auto masked = [&] { return lesser(x & 0xffff0000U, y & 0xffff0000U, least, flags & kUnsigned); };
    return masked() | half(16) >> 16U;
  }
  const bool less = (flags & kUnsigned) != 0 ? x < y : static_cast<Int>(x) < static_cast<Int>(y);
  return less == least ? x : y;
}

// min(a, b), min(a + b, c) or min(a, b, c) where the predicate holds, else max.
void minimum(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, sc, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const LaneArray& c = load(warp, op.in[2], sc);
  const std::uint32_t predicates = predicate(warp, op.predicate_in[0]);
  for (std::size_t l = 0; l < kLanes; ++l) {
    const bool least = (predicates >> l & 1U) != 0;
    if ((op.flags & kAdds) != 0)
      result[l] = lesser(a[l] + b[l], c[l], least, op.flags);
    else
      result[l] = lesser(a[l], b[l], least, op.flags);
    if ((op.flags & kThree) != 0) result[l] = lesser(result[l], c[l], least, op.flags);
  }
  merge(output(warp, op.out), result, mask);
}

// IADD3 R0, P0, P1, a, b, c; .X adds two carries.
void decode_add3(Decoder& d) {
  if (d.take("64")) {
    d.out_wide();
    for (std::size_t i = 0; i < 3; ++i) d.in(i, Type::wide_integer);
    d.op().run = lanewise_wide<add3_wide>;
    return set_math_class(d, OpClass::alu);
  }
  const bool with_carry = d.take("X");
  d.out();
  const bool carries = d.next_is(Operand::Kind::predicate);
  for (std::size_t i = 0; i < 2 && d.next_is(Operand::Kind::predicate); ++i) d.predicate_out(i);
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  d.op().run = lanewise<add3>;
  d.op().linear = Linear::sum;
  if (carries || with_carry) {
    d.op().run = add3_carry;
    d.op().linear = Linear::carry_sum;
    d.op().flags = with_carry ? 8 : 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if ((d.op().in[i].modifiers & Source::negate_int) == 0) continue;
      d.op().in[i].modifiers &= static_cast<std::uint8_t>(~Source::negate_int);
      d.op().flags |= 1U << i;
    }
    d.op().predicate_in[0] = d.op().predicate_in[1] = {7, true};
    for (std::size_t i = 0; with_carry && i < 2 && d.more(); ++i) d.predicate_in(i);
  }
  set_math_class(d, OpClass::alu);
}

void decode_add(Decoder& d) {  // VIADD, IADD
  const bool halves = d.take("16x2");
  d.out();
  d.in(0);
  d.in(1);
  d.op().in[2] = Source{};
  d.op().run = halves ? lanewise<add_halves> : lanewise<add3>;
  if (!halves) d.op().linear = Linear::sum;
  set_math_class(d, OpClass::imad);
}

void decode_multiply(Decoder& d) {  // IMAD in all its forms
  const bool wide = d.take("WIDE"), high = d.take("HI"), is_unsigned = d.take("U32"), with_carry = d.take("X");
  d.take("MOV"), d.take("IADD"), d.take("SHL");  // what the compiler uses it for
  if (wide) {
    d.out_wide();
  } else {
    d.out();
  }
  const bool carry_out = d.next_is(Operand::Kind::predicate);
  if (carry_out) d.predicate_out(0);
  d.in(0);
  d.in(1);
  d.in(2, wide || high ? Type::wide_integer : Type::integer);
  if (with_carry) d.predicate_in(0);
  if (wide) {
    d.op().run = is_unsigned ? widening<multiply_wide_unsigned> : widening<multiply_wide>;
    d.op().linear = is_unsigned ? Linear::unsigned_product : Linear::wide_product;
    if (carry_out || with_carry) {
      d.op().run = multiply_carry<false>;
      d.op().linear = Linear::none;
      d.op().flags = (is_unsigned ? 1U : 0U) | (with_carry ? 2U : 0U);
    }
  } else if (high) {
    d.op().run = multiply_carry<true>;
    d.op().flags = (is_unsigned ? 1U : 0U) | (with_carry ? 2U : 0U);
  } else {
    if (carry_out) d.fail("IMAD with a carry out");
    d.op().run = with_carry ? multiply_add_carry : lanewise<multiply_add>;
    if (!with_carry) d.op().linear = Linear::product;
  }
  set_math_class(d, wide || high ? OpClass::imad_wide : OpClass::imad);
}

template <Word (*F)(Word, Word, Word, Word), OpClass Class>
void decode_one(Decoder& d) {
  d.out();
  d.in(0);
  d.op().run = lanewise<F>;
  set_math_class(d, Class);
}

void decode_leading_one(Decoder& d) {
  d.op().flags = (d.take("U32") ? 1U : 0U) | (d.take("SH") ? 2U : 0U);
  d.out();
  if (d.next_is(Operand::Kind::predicate)) {
    const Operand* unused = d.pop();
    if (!is_true(unused->reg)) d.fail("FLO with a predicate");
  }
  d.in(0);
  d.op().run = lanewise<leading_one>;
  set_math_class(d, OpClass::xu);
}

void decode_absolute_difference(Decoder& d) {
  d.op().flags = d.take("U32") ? 1U : 0U;
  d.out();
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  d.op().run = lanewise<absolute_difference>;
  set_math_class(d, OpClass::alu);
}

void decode_minimum(Decoder& d, Word flags, std::size_t inputs) {
  if (d.take("U32")) flags |= kUnsigned;
  if (d.take("S16x2")) flags |= kHalves;
  if (d.take("U16x2")) flags |= kHalves | kUnsigned;
  d.op().flags = flags;
  d.out();
  for (std::size_t i = 0; i < inputs; ++i) d.in(i);
  d.predicate_in(0);
  d.op().run = minimum;
  set_math_class(d, OpClass::alu);
}
void decode_minimum_of_two(Decoder& d) { decode_minimum(d, 0, 2); }         // IMNMX, VIMNMX, UIMNMX
void decode_minimum_of_three(Decoder& d) { decode_minimum(d, kThree, 3); }  // VIMNMX3
void decode_add_minimum(Decoder& d) { decode_minimum(d, kAdds, 3); }        // VIADDMNMX

void decode_dot_product(Decoder& d) {
  Word flags = d.take("4A") ? 0U : 4U;
  if (flags == 4U && !d.take("2A")) d.fail("neither 4A nor 2A");
  if (d.take("HI")) flags |= 8U;
  d.take("LO");
  for (const Word bit : {1U, 2U}) {
    const std::string type = d.take_any();
    if (type == "U8" || type == "U16")
      flags |= bit;
    else if (type != "S8" && type != "S16")
      d.fail("modifier ." + type);
  }
  d.op().flags = flags;
  d.out();
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  d.op().run = lanewise<dot_product>;
  set_math_class(d, OpClass::imad);
}

}  // namespace

std::span<const OpEntry> integer_ops() {
  static constexpr OpEntry entries[] = {
      {"IADD3", decode_add3},
      {"UIADD3", decode_add3},
      {"VIADD", decode_add},
      {"IADD", decode_add},
      {"IMAD", decode_multiply},
      {"UIMAD", decode_multiply},
      {"IABS", decode_one<absolute, OpClass::alu>},
      {"UIABS", decode_one<absolute, OpClass::alu>},
      {"POPC", decode_one<population, OpClass::xu>},
      {"UPOPC", decode_one<population, OpClass::xu>},
      {"BREV", decode_one<reversed, OpClass::xu>},
      {"UBREV", decode_one<reversed, OpClass::xu>},
      {"FLO", decode_leading_one},
      {"UFLO", decode_leading_one},
      {"VABSDIFF", decode_absolute_difference},
      {"IMNMX", decode_minimum_of_two},
      {"VIMNMX", decode_minimum_of_two},
      {"VIMNMX3", decode_minimum_of_three},
      {"UIMNMX", decode_minimum_of_two},
      {"VIADDMNMX", decode_add_minimum},
      {"IDP", decode_dot_product},
  };
  return entries;
}

}  // namespace tilescope::sass
