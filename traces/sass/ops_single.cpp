// Single precision: FADD, FMUL, FFMA, comparisons, minima, the special functions of MUFU.
//
// MUFU is an approximation in hardware, with errors of about one unit in the last place; here it is the exact value,
// rounded.
#include <cmath>
#include <limits>

#include "traces/sass/float_compare.h"
#include "traces/sass/half_float.h"
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"
#include "traces/sass/predicate_join.h"
#include "traces/sass/rounding.h"

namespace tilescope::sass {
namespace {

// flags of arithmetic: the low two bits are the Rounding.
constexpr Word kFlush = 4, kSaturate = 8;

Word canonical(float value) { return std::isnan(value) ? 0x7fffffffU : bits_of(value); }
float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}
float saturated(float value) { return std::isnan(value) ? 0.0F : std::fmin(std::fmax(value, 0.0F), 1.0F); }

Word add(Word a, Word b, Word, Word) { return canonical(as_float(a) + as_float(b)); }
Word multiply(Word a, Word b, Word, Word) { return canonical(as_float(a) * as_float(b)); }
Word multiply_add(Word a, Word b, Word c, Word) { return canonical(std::fma(as_float(a), as_float(b), as_float(c))); }

enum class Arithmetic : std::uint8_t { add, multiply, multiply_add };

template <Arithmetic A>
Word with_modifiers(Word a, Word b, Word c, Word flags) {
  float x = as_float(a), y = as_float(b), z = as_float(c);
  if ((flags & kFlush) != 0) x = flushed(x), y = flushed(y), z = flushed(z);
  const auto rounding = static_cast<Rounding>(flags & 3U);
  float result = A == Arithmetic::add        ? add_rounded(x, y, rounding)
                 : A == Arithmetic::multiply ? multiply_rounded(x, y, rounding)
                                             : multiply_add_rounded(x, y, z, rounding);
  if ((flags & kFlush) != 0) result = flushed(result);
  if ((flags & kSaturate) != 0) result = saturated(result);
  return canonical(result);
}

Rounding take_rounding(Decoder& d) {
  if (d.take("RM")) return Rounding::down;
  if (d.take("RP")) return Rounding::up;
  if (d.take("RZ")) return Rounding::zero;
  d.take("RN");
  return Rounding::nearest;
}

template <Arithmetic A, Word (*Plain)(Word, Word, Word, Word)>
void decode_arithmetic(Decoder& d) {
  d.op().flags = static_cast<Word>(take_rounding(d)) | (d.take("FTZ") ? kFlush : 0U) | (d.take("SAT") ? kSaturate : 0U);
  d.out();
  d.in(0, Type::real);
  d.in(1, Type::real);
  if (A == Arithmetic::multiply_add) d.in(2, Type::real);
  d.op().run = d.op().flags == 0 ? lanewise<Plain> : lanewise<with_modifiers<A>>;
  set_class(d, OpClass::fma);
}

void minimum(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const std::uint32_t least = predicate(warp, op.predicate_in[0]);
  for (std::size_t l = 0; l < kLanes; ++l) {
    float x = as_float(a[l]), y = as_float(b[l]);
    if ((op.flags & kFlush) != 0) x = flushed(x), y = flushed(y);
    const bool nan = (op.flags & 1U) != 0 && (std::isnan(x) || std::isnan(y));
    result[l] = nan ? 0x7fffffffU : canonical(extreme(x, y, (least >> l & 1U) != 0));
  }
  merge(output(warp, op.out), result, mask);
}

void compare(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  std::uint32_t truth = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    float x = as_float(a[l]), y = as_float(b[l]);
    if ((op.flags & 32U) != 0) x = flushed(x), y = flushed(y);
    truth |= static_cast<std::uint32_t>(compares(x, y, op.flags & 15U)) << l;
  }
  join(warp, op, truth, mask);
}

// FSET: the truth as a number, 1.0 or all ones.
void compare_to_register(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const std::uint32_t other = predicate(warp, op.predicate_in[0]);
  std::uint32_t truth = 0;
  for (std::size_t l = 0; l < kLanes; ++l)
    truth |= static_cast<std::uint32_t>(compares(as_float(a[l]), as_float(b[l]), op.flags & 15U)) << l;
  truth = joined(op.flags2, truth, other);
  for (std::size_t l = 0; l < kLanes; ++l)
    result[l] = (truth >> l & 1U) == 0 ? 0 : (op.flags & 64U) != 0 ? 0x3f800000U : ~Word{0};
  merge(output(warp, op.out), result, mask);
}

// Is a / b out of reach of the short division sequence? Exponents near the limits, zeros, infinities, NaN.
Word division_needs_care(Word a, Word b, Word, Word) {
  const auto exponent = [](Word bits) { return static_cast<int>(bits >> 23U & 255U); };
  const int of_a = exponent(a), of_b = exponent(b);
  const bool special = of_a == 0 || of_a == 255 || of_b == 0 || of_b >= 253;
  return special || of_a - of_b >= 126 || of_a - of_b <= -126 || of_a < 24 ? 1 : 0;
}
void check_division(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  std::uint32_t truth = 0;
  for (std::size_t l = 0; l < kLanes; ++l) truth |= division_needs_care(a[l], b[l], 0, 0) << l;
  set_predicate(warp, op.predicate_out[0], truth, mask);
}

// MUFU. SIN and COS take turns of 2 pi that RRO or a multiplication has made: their argument is in units of 1 / (2 pi).
constexpr double kTurn = 6.283185307179586476925286766559;
enum class Function : std::uint8_t { rcp, rsq, sqrt, ex2, lg2, sin, cos, tanh };
template <Function F>
Word special_function(Word a, Word, Word, Word) {
  const double x = as_float(a);
  double y = 0;
  switch (F) {
    case Function::rcp:
      y = 1 / x;
      break;
    case Function::rsq:
      y = 1 / std::sqrt(x);
      break;
    case Function::sqrt:
      y = std::sqrt(x);
      break;
    case Function::ex2:
      y = std::exp2(x);
      break;
    case Function::lg2:
      y = std::log2(x);
      break;
    case Function::sin:
      y = std::sin(x * kTurn);
      break;
    case Function::cos:
      y = std::cos(x * kTurn);
      break;
    case Function::tanh:
      y = std::tanh(x);
      break;
  }
  return canonical(static_cast<float>(y));
}
// The high word of an approximation to 1/x or 1/sqrt(x), from the high word of x.
template <Function F>
Word special_high(Word a, Word, Word, Word) {
  const double x = as_double(Wide{a} << 32U);
  const double y = F == Function::rcp ? 1 / x : 1 / std::sqrt(x);
  return static_cast<Word>(bits_of(y) >> 32U);
}

void decode_special_function(Decoder& d) {
  struct Name {
    std::string_view name;
    Execute run;
  };
  static constexpr Name names[] = {
      {"RCP", lanewise<special_function<Function::rcp>>},   {"RSQ", lanewise<special_function<Function::rsq>>},
      {"SQRT", lanewise<special_function<Function::sqrt>>}, {"EX2", lanewise<special_function<Function::ex2>>},
      {"LG2", lanewise<special_function<Function::lg2>>},   {"SIN", lanewise<special_function<Function::sin>>},
      {"COS", lanewise<special_function<Function::cos>>},   {"TANH", lanewise<special_function<Function::tanh>>},
      {"RCP64H", lanewise<special_high<Function::rcp>>},    {"RSQ64H", lanewise<special_high<Function::rsq>>}};
  for (const Name& name : names)
    if (d.take(name.name)) d.op().run = name.run;
  if (d.op().run == nullptr) d.fail("no function that is known");
  const bool half = d.take("F16");  // no measurement shows its bits
  d.decoded.values_missing = half;
  d.out();
  d.in(0, half ? Type::half : Type::real);
  set_class(d, OpClass::xu);
}

void decode_minimum(Decoder& d) {
  d.op().flags = (d.take("FTZ") ? kFlush : 0U) | (d.take("NAN") ? 1U : 0U);
  d.out();
  d.in(0, Type::real);
  d.in(1, Type::real);
  d.predicate_in(0);
  d.op().run = minimum;
  set_class(d, OpClass::alu);
}

template <bool ToRegister>
void decode_compare(Decoder& d) {
  const bool number = ToRegister && d.take("BF"), flush = d.take("FTZ");
  d.op().flags = take_comparison(d) | (number ? 64U : 0U) | (flush && !ToRegister ? 32U : 0U);
  take_joint(d);
  take_compared(d, ToRegister, Type::real, ToRegister ? compare_to_register : compare, OpClass::alu);
}

void decode_check_division(Decoder& d) {
  d.take("DIVIDE");
  d.predicate_out(0);
  d.in(0, Type::real);
  d.in(1, Type::real);
  d.op().run = check_division;
  set_class(d, OpClass::xu);
}

}  // namespace

std::span<const OpEntry> single_ops() {
  static constexpr OpEntry entries[] = {
      {"FADD", decode_arithmetic<Arithmetic::add, add>},
      {"FMUL", decode_arithmetic<Arithmetic::multiply, multiply>},
      {"FFMA", decode_arithmetic<Arithmetic::multiply_add, multiply_add>},
      {"FMNMX", decode_minimum},
      {"FSETP", decode_compare<false>},
      {"FSET", decode_compare<true>},
      {"FCHK", decode_check_division},
      {"MUFU", decode_special_function},
  };
  return entries;
}

}  // namespace tilescope::sass
