// Logic, shifts, bit fields, byte permutation, selection and moves.
#include <algorithm>

#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

using Int = std::int32_t;
using Long = std::int64_t;

// The truth table's bit 4a + 2b + c says what bits a, b, c become.
Word by_table(Word a, Word b, Word c, Word table) {
  const auto row = [table](unsigned which) { return 0U - (table >> which & 1U); };
  const auto chosen = [](Word bits, Word if_set, Word if_not) { return if_not ^ (bits & (if_set ^ if_not)); };
  return chosen(a, chosen(b, chosen(c, row(7), row(6)), chosen(c, row(5), row(4))),
                chosen(b, chosen(c, row(3), row(2)), chosen(c, row(1), row(0))));
}
Word both(Word a, Word b, Word, Word) { return a & b; }
Word either(Word a, Word b, Word, Word) { return a | b; }
Word unlike(Word a, Word b, Word, Word) { return a ^ b; }
Word copy(Word a, Word, Word, Word) { return a; }
Wide copy_wide(Wide a, Wide, Wide, Word) { return a; }

// Shifts of the pair (c:a) by b. flags: 1 right, 2 the shift wraps, 4 the high word is the result, 8 signed, 16 of 64
// bits
Word shift(Word a, Word b, Word c, Word flags) {
  const bool wide = (flags & 16U) != 0, is_signed = (flags & 8U) != 0;
  const Word most = wide ? 64 : 32;
  const Word by = (flags & 2U) != 0 ? b & (most - 1) : std::min(b, most);
  const Wide pair = Wide{c} << 32U | a;
  Wide moved = 0;
  if ((flags & 1U) == 0)
    moved = by == 64 ? 0 : pair << by;
  else if (is_signed)
    moved = static_cast<Wide>(static_cast<Long>(pair) >> std::min(by, 63U));
  else
    moved = by == 64 ? 0 : pair >> by;
  return static_cast<Word>((flags & 4U) != 0 ? moved >> 32U : moved);
}
// The plain ones, which the compiler uses most: a << b, c >> b.
Word shift_left(Word a, Word b, Word, Word) { return b > 31 ? 0 : a << b; }
Word shift_right(Word, Word b, Word c, Word) { return b > 31 ? 0 : c >> b; }
Word shift_right_signed(Word, Word b, Word c, Word) {
  return static_cast<Word>(static_cast<Int>(c) >> std::min(b, 31U));
}

// a, of which the low b bits count, sign-extended; flags: 1 zero-extended, 2 b wraps
Word extend(Word a, Word b, Word, Word flags) {
  if ((flags & 2U) != 0) b &= 31U;
  if (b >= 32) return a;
  if (b == 0) return 0;
  const Word up = a << (32 - b);
  return (flags & 1U) != 0 ? up >> (32 - b) : static_cast<Word>(static_cast<Int>(up) >> (32 - b));
}
// b ones from bit a on; flags: 2 both wrap
Word mask_of(Word a, Word b, Word, Word flags) {
  if ((flags & 2U) != 0) a &= 31U, b &= 31U;
  if (a > 31) return 0;
  const Wide ones = b >= 32 ? ~Wide{0} : (Wide{1} << b) - 1;
  return static_cast<Word>(ones << a);
}
// Four bytes of (c:a), chosen by the nibbles of b; a nibble's top bit spreads the byte's sign.
Word permute(Word a, Word b, Word c, Word) {
  const Wide pair = Wide{c} << 32U | a;
  Word result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const Word pick = b >> (4 * i) & 15U;
    Word byte = static_cast<Word>(pair >> (8 * (pick & 7U))) & 255U;
    if ((pick & 8U) != 0) byte = (byte & 128U) != 0 ? 255U : 0U;
    result |= byte << (8 * i);
  }
  return result;
}
// (c:a) shifted left by `flags`, the high word, plus b: LEA.HI
Word lea_high(Word a, Word b, Word c, Word flags) {
  return static_cast<Word>((Wide{c} << 32U | a) << flags >> 32U) + b;
}
Word lea_high_signed(Word a, Word b, Word, Word flags) {
  return static_cast<Word>(static_cast<Wide>(Long{static_cast<Int>(a)}) << flags >> 32U) + b;
}
Word lea_low(Word a, Word b, Word, Word flags) { return (a << flags) + b; }

// The result and, in a predicate, whether it has a set bit, joined with another predicate. flags2: 1 by "and".
void logic_test(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, sc, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const LaneArray& c = load(warp, op.in[2], sc);
  std::uint32_t any = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    result[l] = by_table(a[l], b[l], c[l], op.flags);
    any |= static_cast<std::uint32_t>(result[l] != 0) << l;
  }
  const std::uint32_t other = predicate(warp, op.predicate_in[0]);
  merge(output(warp, op.out), result, mask);
  set_predicate(warp, op.predicate_out[0], op.flags2 != 0 ? any & other : any | other, mask);
}

// LEA with carries. flags: shift; flags2: 1 high word, 2 a is sign-extended, 4 b is negated, 8 carry in, 16 a is
// negated. A negated source counts as its complement plus one, so that nothing taken away carries, as the adder does
// it.
void lea_carry(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, sc, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const LaneArray& c = load(warp, op.in[2], sc);
  const std::uint32_t carry = (op.flags2 & 8U) != 0 ? predicate(warp, op.predicate_in[0]) : 0;
  std::uint32_t out = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Word high = (op.flags2 & 2U) != 0 ? static_cast<Word>(static_cast<Int>(a[l]) >> 31) : c[l];
    const Wide pair = (Wide{high} << 32U | a[l]) << op.flags;
    const Word scaled = static_cast<Word>((op.flags2 & 1U) != 0 ? pair >> 32U : pair);
    const auto term = [&op](Word value, Word negated) {
      return (op.flags2 & negated) != 0 ? Wide{~value} + 1 : Wide{value};
    };
    const Wide sum = term(scaled, 16U) + term(b[l], 4U) + (carry >> l & 1U);
    result[l] = static_cast<Word>(sum);
    out |= static_cast<std::uint32_t>(sum >> 32U != 0) << l;
  }
  merge(output(warp, op.out), result, mask);
  set_predicate(warp, op.predicate_out[0], out, mask);
}

void select(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  result = load(warp, op.in[1], sb);
  merge(result, a, predicate(warp, op.predicate_in[0]));
  merge(output(warp, op.out), result, mask);
}

// Two predicates from truth tables over three.
void predicate_logic(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t a = predicate(warp, op.predicate_in[0]), b = predicate(warp, op.predicate_in[1]),
                      c = predicate(warp, op.predicate_in[2]);
  set_predicate(warp, op.predicate_out[0], by_table(a, b, c, op.flags), mask);
  set_predicate(warp, op.predicate_out[1], by_table(a, b, c, op.flags2), mask);
}

// Predicates into bits of a register: those of the mask in[1], the other bits from in[0]. flags: first bit.
void predicates_to_register(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& which = load(warp, op.in[1], sb);
  for (std::size_t l = 0; l < kLanes; ++l) {
    Word bits = 0;
    for (unsigned p = 0; p < 7; ++p) bits |= (warp.predicates[p + op.flags2] >> l & 1U) << p;
    const Word chosen = which[l] << op.flags;
    result[l] = (a[l] & ~chosen) | (bits << op.flags & chosen);
  }
  merge(output(warp, op.out), result, mask);
}

void register_to_predicates(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& which = load(warp, op.in[1], sb);
  for (std::uint8_t p = 0; p < 7; ++p) {
    std::uint32_t value = 0, chosen = 0;
    for (std::size_t l = 0; l < kLanes; ++l) {
      value |= (a[l] >> (op.flags + p) & 1U) << l;
      chosen |= (which[l] >> p & 1U) << l;
    }
    set_predicate(warp, p, value, mask & chosen);
  }
}

void decode_logic(Decoder& d) {  // LOP3.LUT [P0,] R0, a, b, c, table, P1
  d.take("LUT");
  const bool joined_by_and = d.take("PAND");
  const bool test = d.next_is(Operand::Kind::predicate);
  if (test) d.predicate_out(0);
  d.out();
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  const auto table = static_cast<Word>(d.immediate());
  d.op().flags = table;
  d.op().run = lanewise<by_table>;
  if (table == 0xc0) d.op().run = lanewise<both>;
  if (table == 0xfc) d.op().run = lanewise<either>;
  if (table == 0x3c) d.op().run = lanewise<unlike>;
  if (d.more()) {
    d.predicate_in(0);
    if (test) {
      d.op().run = logic_test;
      d.op().flags2 = joined_by_and ? 1 : 0;
    }
  }
  set_math_class(d, OpClass::alu);
}

void decode_predicate_logic(Decoder& d) {  // PLOP3.LUT P0, P1, a, b, c, table, table
  d.take("LUT");
  d.predicate_out(0);
  d.predicate_out(1);
  for (std::size_t i = 0; i < 3; ++i) d.predicate_in(i);
  d.op().flags = static_cast<Word>(d.immediate());
  d.op().flags2 = static_cast<Word>(d.immediate());
  d.op().run = predicate_logic;
  set_math_class(d, OpClass::alu);
}

void decode_shift(Decoder& d) {  // SHF.R.S32.HI R0, low, by, high
  const bool right = d.take("R");
  if (!right && !d.take("L")) d.fail("neither .L nor .R");
  Word flags = right ? 1U : 0U;
  if (d.take("W")) flags |= 2U;
  if (d.take("S32") || d.take("S64")) flags |= 8U;
  if (d.parsed().has("S64") || d.parsed().has("U64")) flags |= 16U;
  d.take("U32"), d.take("U64");
  if (d.take("HI")) flags |= 4U;
  d.out();
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  d.op().flags = flags;
  d.op().run = lanewise<shift>;
  if (flags == 0) d.op().run = lanewise<shift_left>;
  if (flags == 5) d.op().run = lanewise<shift_right>;
  if (flags == 13) d.op().run = lanewise<shift_right_signed>;
  set_math_class(d, OpClass::alu);
}

void decode_extend(Decoder& d) {
  d.op().flags = (d.take("U32") ? 1U : 0U) | (d.take("W") ? 2U : 0U);
  d.out();
  d.in(0);
  d.in(1);
  d.op().run = lanewise<extend>;
  set_math_class(d, OpClass::alu);
}

void decode_mask(Decoder& d) {
  d.op().flags = d.take("W") ? 2U : 0U;
  d.out();
  d.in(0);
  d.in(1);
  d.op().run = lanewise<mask_of>;
  set_math_class(d, OpClass::alu);
}

void decode_permute(Decoder& d) {
  d.out();
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  d.op().run = lanewise<permute>;
  set_math_class(d, OpClass::alu);
}

void decode_lea(Decoder& d) {  // LEA.HI.X R0, [P0,] a, b, c, shift, P1; with .SX32 there is no c
  const bool high = d.take("HI"), with_carry = d.take("X"), is_signed = d.take("SX32");
  d.out();
  const bool carry_out = d.next_is(Operand::Kind::predicate);
  if (carry_out) d.predicate_out(0);
  d.in(0);
  d.in(1);
  if (high && !is_signed) d.in(2);
  d.op().flags = static_cast<Word>(d.immediate()) & 31U;
  if (with_carry) d.predicate_in(0);
  d.op().run = !high ? lanewise<lea_low> : is_signed ? lanewise<lea_high_signed> : lanewise<lea_high>;
  if (carry_out || with_carry) {
    d.op().run = lea_carry;
    d.op().flags2 = (high ? 1U : 0U) | (is_signed ? 2U : 0U) | (with_carry ? 8U : 0U);
    if ((d.op().in[1].modifiers & Source::negate_int) != 0) {
      d.op().in[1].modifiers = 0;
      d.op().flags2 |= 4U;
    }
    if (!high && (d.op().in[0].modifiers & Source::negate_int) != 0) {
      d.op().in[0].modifiers = 0;
      d.op().flags2 |= 16U;
    }
  }
  set_math_class(d, OpClass::alu);
}

void decode_select(Decoder& d) {
  d.out();
  d.in(0);
  d.in(1);
  d.predicate_in(0);
  d.op().run = select;
  set_math_class(d, OpClass::alu);
}

void decode_select_float(Decoder& d) {
  d.take("FTZ");
  d.out();
  d.in(0, Type::real);
  d.in(1, Type::real);
  d.predicate_in(0);
  d.op().run = select;
  set_math_class(d, OpClass::alu);
}

void decode_move(Decoder& d) {  // MOV R0, R1; with a lane mask 0xf on older assemblers
  const bool wide = d.take("64");
  if (wide) {
    d.out_wide();
    d.in(0, Type::wide_integer);
    d.op().run = lanewise_wide<copy_wide>;
  } else {
    d.take("32I");
    d.out();
    d.in(0);
    d.op().run = lanewise<copy>;
    d.op().linear = Linear::sum;
  }
  if (d.more() && d.immediate() != 0xf) d.fail("MOV with a byte mask");
  set_move_class(d, OpClass::alu);
}

void decode_predicates_to_register(Decoder& d) {  // P2R R0, PR, R1, 0x7f
  d.op().flags = d.take("B1") ? 8U : d.take("B2") ? 16U : d.take("B3") ? 24U : 0U;
  d.out();
  const Operand* all = d.pop();
  if (all != nullptr && all->text != "PR" && all->text != "UPR") d.fail("operand '" + all->text + "' should be PR");
  const bool uniform = all != nullptr && all->text == "UPR";
  d.op().flags2 = uniform ? 8 : 0;
  const RegisterId first = uniform ? kUP0 : kP0;
  for (RegisterId p = 0; p < 7; ++p) d.use(static_cast<RegisterId>(first + p));
  d.in(0);
  d.in(1);
  d.op().run = predicates_to_register;
  set_math_class(d, OpClass::alu);
}

void decode_register_to_predicates(Decoder& d) {  // R2P PR, R0, 0x7f; R2P PR, R0.B1, 0xf
  const Operand* all = d.pop();
  if (all != nullptr && all->text != "PR") d.fail("operand '" + all->text + "' should be PR");
  if (all != nullptr && !all->suffix.empty()) d.fail("operand '" + all->text + "'");
  d.op().flags = 8 * d.in_byte(0);
  const std::int64_t which = d.next_is(Operand::Kind::immediate) ? d.peek()->value : 0x7f;
  d.in(1);
  for (RegisterId p = 0; p < 7; ++p)
    if ((which >> p & 1) != 0) d.define(static_cast<RegisterId>(kP0 + p));
  d.op().run = register_to_predicates;
  set_math_class(d, OpClass::alu);
}

}  // namespace

std::span<const OpEntry> logic_ops() {
  static constexpr OpEntry entries[] = {
      {"LOP3", decode_logic},
      {"ULOP3", decode_logic},
      {"PLOP3", decode_predicate_logic},
      {"UPLOP3", decode_predicate_logic},
      {"SHF", decode_shift},
      {"USHF", decode_shift},
      {"SGXT", decode_extend},
      {"USGXT", decode_extend},
      {"BMSK", decode_mask},
      {"UBMSK", decode_mask},
      {"PRMT", decode_permute},
      {"UPRMT", decode_permute},
      {"LEA", decode_lea},
      {"ULEA", decode_lea},
      {"SEL", decode_select},
      {"USEL", decode_select},
      {"FSEL", decode_select_float},
      {"MOV", decode_move},
      {"UMOV", decode_move},
      {"P2R", decode_predicates_to_register},
      {"UP2UR", decode_predicates_to_register},
      {"R2P", decode_register_to_predicates},
  };
  return entries;
}

}  // namespace tilescope::sass
