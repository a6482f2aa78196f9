// Conversions between whole and real numbers and between widths.
#include <algorithm>
#include <cmath>
#include <limits>

#include "traces/sass/half_float.h"
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"
#include "traces/sass/rounding.h"

namespace tilescope::sass {
namespace {

using Int = std::int32_t;
using Long = std::int64_t;

enum class Format : std::uint8_t { f16, bf16, f32, f64, u8, s8, u16, s16, u32, s32, u64, s64 };

struct FormatName {
  std::string_view name;
  Format format;
};
constexpr FormatName kFormats[] = {{"F16", Format::f16}, {"BF16", Format::bf16}, {"F32", Format::f32},
                                   {"F64", Format::f64}, {"U8", Format::u8},     {"S8", Format::s8},
                                   {"U16", Format::u16}, {"S16", Format::s16},   {"U32", Format::u32},
                                   {"S32", Format::s32}, {"U64", Format::u64},   {"S64", Format::s64}};

bool is_real(Format format) { return format <= Format::f64; }
bool is_wide(Format format) { return format == Format::f64 || format == Format::u64 || format == Format::s64; }

// flags: from, to (8 bits each), rounding (2), then:
constexpr Word kFlush = 1U << 18U, kWholeResult = 1U << 20U, kBytes = 21;  // and 2 bits: which byte

double real_of(Wide bits, Format format) {
  switch (format) {
    case Format::f16:
      return from_half(static_cast<Word>(bits) & 0xffffU);
    case Format::bf16:
      return from_bfloat(static_cast<Word>(bits) & 0xffffU);
    case Format::f64:
      return as_double(bits);
    default:
      return as_float(static_cast<Word>(bits));
  }
}

Wide bits_as(double value, Format format, Rounding rounding) {
  switch (format) {
    case Format::f16:
      return to_half(value);
    case Format::bf16:
      return to_bfloat(value);
    case Format::f64:
      return bits_of(value);
    default: {
      const float single = to_single_rounded(value, rounding);
      return std::isnan(single) ? 0x7fffffffU : bits_of(single);
    }
  }
}

// Clamped to what the format holds; NaN becomes 0, or the most negative for 64 bits.
Wide whole_as(double value, Format format) {
  const auto clamped = [value](double least, double most) {
    return std::isnan(value) ? 0.0 : std::clamp(value, least, most);
  };
  switch (format) {
    case Format::u8:
      return static_cast<Word>(clamped(0, 255));
    case Format::s8:
      return static_cast<Word>(static_cast<Int>(clamped(-128, 127)));
    case Format::u16:
      return static_cast<Word>(clamped(0, 65535));
    case Format::s16:
      return static_cast<Word>(static_cast<Int>(clamped(-32768, 32767)));
    case Format::u32:
      return static_cast<Word>(clamped(0, 4294967295.0));
    case Format::s32:
      return static_cast<Word>(static_cast<Int>(clamped(-2147483648.0, 2147483647.0)));
    case Format::u64:
      if (std::isnan(value)) return Wide{1} << 63U;
      return value >= 0x1p64 ? ~Wide{0} : value <= 0 ? 0 : static_cast<Wide>(value);
    default:
      if (std::isnan(value)) return Wide{1} << 63U;
      return static_cast<Wide>(value >= 0x1p63    ? std::numeric_limits<Long>::max()
                               : value <= -0x1p63 ? std::numeric_limits<Long>::min()
                                                  : static_cast<Long>(value));
  }
}

Long whole_of(Wide bits, Format format, unsigned byte) {
  const Wide at = bits >> (8 * byte);
  switch (format) {
    case Format::u8:
      return static_cast<std::uint8_t>(at);
    case Format::s8:
      return static_cast<std::int8_t>(at);
    case Format::u16:
      return static_cast<std::uint16_t>(at);
    case Format::s16:
      return static_cast<std::int16_t>(at);
    case Format::u32:
      return static_cast<Word>(bits);
    case Format::s32:
      return static_cast<Int>(bits);
    default:
      return static_cast<Long>(bits);
  }
}

Wide converted(Wide bits, Word flags) {
  const auto from = static_cast<Format>(flags & 255U), to = static_cast<Format>(flags >> 8U & 255U);
  const auto rounding = static_cast<Rounding>(flags >> 16U & 3U);
  if (is_real(from)) {
    double value = real_of(bits, from);
    if ((flags & kFlush) != 0 && std::fabs(value) < std::numeric_limits<float>::min())
      value = std::copysign(0.0, value);
    if (!is_real(to)) return whole_as(std::isnan(value) ? value : whole_rounded(value, rounding), to);
    if ((flags & kWholeResult) != 0) return bits_as(whole_rounded(value, rounding), to, Rounding::nearest);
    return bits_as(value, to, rounding);
  }
  const Long value = whole_of(bits, from, flags >> kBytes & 3U);
  if (is_real(to)) {
    if (from == Format::u64)
      return to == Format::f64 ? bits_of(to_double_rounded(static_cast<Wide>(value), rounding))
                               : Wide{bits_of(to_single_rounded(static_cast<Wide>(value), rounding))};
    if (to == Format::f64) return bits_of(to_double_rounded(value, rounding));
    if (to == Format::f32) return bits_of(to_single_rounded(value, rounding));
    return bits_as(static_cast<double>(value), to, rounding);
  }
  return whole_as(static_cast<double>(value), to);
}

void convert(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  WideLanes from, result;
  load_wide(warp, op.in[0], from);
  for (std::size_t l = 0; l < kLanes; ++l) result.lane[l] = converted(from.lane[l], op.flags);
  store_wide(warp, op, result, mask);
}

Rounding take_rounding(Decoder& d, Rounding standard) {
  for (const auto& [name, rounding] : {std::pair{"TRUNC", Rounding::zero},
                                       {"RZ", Rounding::zero},
                                       {"FLOOR", Rounding::down},
                                       {"RM", Rounding::down},
                                       {"CEIL", Rounding::up},
                                       {"RP", Rounding::up},
                                       {"ROUND", Rounding::nearest},
                                       {"RN", Rounding::nearest}})
    if (d.take(name)) return rounding;
  return standard;
}

// Names of formats in order; those left out are the standard ones.
void decode_conversion(Decoder& d, Format from, Format to, bool real_from, bool real_to, Word extra = 0) {
  std::vector<Format> found;
  for (const std::string& modifier : d.parsed().modifiers)
    for (const FormatName& known : kFormats)
      if (known.name == modifier && d.take(modifier)) found.push_back(known.format);
  if (real_from && real_to && found.size() == 2) {
    to = found[0];
    from = found[1];
  } else if (real_from && real_to && found.size() == 1) {
    from = to = found[0];
  } else {
    for (const Format format : found) {
      if (is_real(format) == real_to && real_from != real_to) to = format;
      if (is_real(format) == real_from && real_from != real_to) from = format;
    }
  }
  const bool flush = d.take("FTZ");
  d.take("NTZ");
  const Rounding rounding = take_rounding(d, Rounding::nearest);
  d.take("SAT");
  if (is_wide(to))
    d.out_wide();
  else
    d.out();
  const bool wide_source = is_wide(from);
  const Operand* operand = d.peek();
  unsigned byte = 0;
  if (operand != nullptr && !operand->suffix.empty() && operand->suffix[0] == 'B' && operand->suffix.size() == 2)
    byte = static_cast<unsigned>(operand->suffix[1] - '0');
  if (operand != nullptr && operand->suffix == "H1") byte = 2;
  const bool selected = operand != nullptr && (byte != 0 || operand->suffix == "B0" || operand->suffix == "H0");
  if (selected) {
    d.pop();
    d.use(operand->reg);
    d.op().in[0].low = operand->reg;
  } else if (real_from) {
    d.in(0, wide_source ? Type::wide_real : from == Format::f32 ? Type::real : Type::half);
  } else {
    d.in(0, wide_source ? Type::wide_integer : Type::integer);
  }
  // A wide load applies modifiers to 64 bits; a narrow source has them applied first.
  d.op().flags = static_cast<Word>(from) | static_cast<Word>(to) << 8U | static_cast<Word>(rounding) << 16U |
                 (flush ? kFlush : 0U) | extra | byte << kBytes;
  d.op().run = convert;
  if (!wide_source && d.op().in[0].modifiers != 0) {
    d.op().run = [](WarpState& warp, const MicroOp& op, std::uint32_t mask) {
      LaneArray scratch;
      WideLanes result;
      const LaneArray& source = load(warp, op.in[0], scratch);
      for (std::size_t l = 0; l < kLanes; ++l) result.lane[l] = converted(source[l], op.flags);
      store_wide(warp, op, result, mask);
    };
  }
  set_class(d, OpClass::xu);
}

void decode_to_whole(Decoder& d) { decode_conversion(d, Format::f32, Format::s32, true, false); }
void decode_to_real(Decoder& d) { decode_conversion(d, Format::s32, Format::f32, false, true); }
void decode_to_real_fast(Decoder& d) {
  decode_conversion(d, Format::s32, Format::f32, false, true);
  set_class(d, OpClass::alu);
}
void decode_between_reals(Decoder& d) { decode_conversion(d, Format::f32, Format::f32, true, true); }
void decode_round(Decoder& d) { decode_conversion(d, Format::f32, Format::f32, true, true, kWholeResult); }

// Two singles (or halves) packed: the first becomes the high half. flags: 1 BF16, 2 relu
Word packed_halves(Word a, Word b, Word, Word flags) {
  const auto one = [flags](Word word) {
    double value = as_float(word);
    if ((flags & 2U) != 0 && value < 0) value = 0;
    return ((flags & 1U) != 0 ? to_bfloat(value) : to_half(value)) & 0xffffU;
  };
  return one(b) | one(a) << 16U;
}

// Ten bits of the fraction stay, the nearest ones; of two as near the larger in size, as PTX says of cvt.rna.tf32.
Word to_tf32(Word a, Word, Word, Word) {
  constexpr Word kExponent = 0x7f800000, kHalf = 0x1000, kDropped = 0x1fff;
  return (a & kExponent) == kExponent ? a : (a + kHalf) & ~kDropped;
}

// Conversions whose bits no measurement here shows: counted and timed.
void leave_values_out(Decoder& d, OpClass op) {
  d.out();
  for (std::size_t which = 0; d.more(); ++which) {
    if (which == d.op().in.size()) return;
    d.in(which, Type::half);
  }
  d.decoded.values_missing = true;
  set_class(d, op);
}

// F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, high, low, R1; F2FP.F16.E4M3.UNPACK_B R0, R1.H1: FP8, to and from.
// F2FP.F16.F32.PACK_AB.RZ: rounded towards zero.
bool decode_other_pack(Decoder& d) {
  const auto& parsed = d.parsed();
  if (!parsed.has("E4M3") && !parsed.has("E5M2") && !parsed.has("RZ")) return false;
  for (const char* modifier : {"SATFINITE", "RELU", "E4M3", "E5M2", "F16", "BF16", "F32", "RZ"}) d.take(modifier);
  if (!d.take("PACK_AB_MERGE_C") && !d.take("PACK_AB") && !d.take("UNPACK_B") && !d.take("UNPACK_B_MERGE_C"))
    d.fail("neither .PACK_AB nor .UNPACK_B");
  leave_values_out(d, OpClass::alu);
  return true;
}

void decode_whole_pack(Decoder& d) {  // I2IP.S8.S32.SAT R0, high, low, R1
  for (const char* modifier : {"S8", "U8", "S4", "U4", "S16", "U16", "S32", "SAT"}) d.take(modifier);
  leave_values_out(d, OpClass::alu);
}

void decode_pack(Decoder& d) {  // F2FP.BF16.F32.PACK_AB R0, high, low
  if (decode_other_pack(d)) return;
  if (d.take("TF32")) {  // F2FP.TF32.F32.PACK_B R0, R1
    d.take("F32");
    if (!d.take("PACK_B")) d.fail("other than .PACK_B");
    d.out();
    d.in(0, Type::real);
    d.op().run = lanewise<to_tf32>;
    return set_class(d, OpClass::alu);
  }
  const bool bfloat = d.take("BF16");
  d.take("F16"), d.take("F32"), d.take("RN");
  if (!d.take("PACK_AB")) d.fail("other than .PACK_AB");
  d.op().flags = (bfloat ? 1U : 0U) | (d.take("RELU") ? 2U : 0U);
  d.out();
  d.in(0, Type::real);
  d.in(1, Type::real);
  d.op().run = lanewise<packed_halves>;
  set_class(d, OpClass::alu);
}

// I2I.S8.S32.SAT: clamped.
void decode_between_wholes(Decoder& d) {
  std::vector<Format> found;
  for (const std::string& modifier : d.parsed().modifiers)
    for (const FormatName& known : kFormats)
      if (known.name == modifier && d.take(modifier)) found.push_back(known.format);
  if (found.size() != 2 || is_real(found[0]) || is_real(found[1])) return d.fail("formats");
  d.take("SAT");
  d.out();
  d.in(0);
  d.op().flags = static_cast<Word>(found[1]) | static_cast<Word>(found[0]) << 8U;
  d.op().run = convert;
  set_class(d, OpClass::xu);
}

}  // namespace

std::span<const OpEntry> convert_ops() {
  static constexpr OpEntry entries[] = {
      {"F2I", decode_to_whole}, {"I2F", decode_to_real}, {"I2FP", decode_to_real_fast},  {"F2F", decode_between_reals},
      {"FRND", decode_round},   {"F2FP", decode_pack},   {"I2I", decode_between_wholes}, {"I2IP", decode_whole_pack},
  };
  return entries;
}

}  // namespace tilescope::sass
