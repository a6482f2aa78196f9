// Double precision.
#include <cmath>

#include "traces/sass/float_compare.h"
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"
#include "traces/sass/predicate_join.h"
#include "traces/sass/rounding.h"

namespace tilescope::sass {
namespace {

// flags: Rounding
Wide add(Wide a, Wide b, Wide, Word flags) {
  return bits_of(add_rounded(as_double(a), as_double(b), static_cast<Rounding>(flags)));
}
Wide multiply(Wide a, Wide b, Wide, Word flags) {
  return bits_of(multiply_rounded(as_double(a), as_double(b), static_cast<Rounding>(flags)));
}
Wide multiply_add(Wide a, Wide b, Wide c, Word flags) {
  return bits_of(multiply_add_rounded(as_double(a), as_double(b), as_double(c), static_cast<Rounding>(flags)));
}

template <Wide (*F)(Wide, Wide, Wide, Word), int Sources>
void decode_arithmetic(Decoder& d) {
  const Rounding rounding = d.take("RM")   ? Rounding::down
                            : d.take("RP") ? Rounding::up
                            : d.take("RZ") ? Rounding::zero
                                           : Rounding::nearest;
  d.take("RN");
  d.op().flags = static_cast<Word>(rounding);
  d.out_wide();
  for (std::size_t i = 0; i < Sources; ++i) d.in(i, Type::wide_real);
  d.op().run = lanewise_wide<F>;
  set_class(d, OpClass::fp64);
}

// flags: comparison; 16: not a comparison but which one a minimum, 32: a maximum, takes
void compare(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  WideLanes a, b;
  load_wide(warp, op.in[0], a);
  load_wide(warp, op.in[1], b);
  std::uint32_t truth = 0, unordered = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const double x = as_double(a.lane[l]), y = as_double(b.lane[l]);
    const bool chosen = (op.flags & 48U) == 0
                            ? compares(x, y, op.flags & 15U)
                            : !std::isnan(x) && (std::isnan(y) || ((op.flags & 16U) != 0 ? x < y : x > y));
    truth |= static_cast<std::uint32_t>(chosen) << l;
    unordered |= static_cast<std::uint32_t>(std::isnan(y)) << l;
  }
  if ((op.flags & 48U) == 0) return join(warp, op, truth, mask);
  // The second predicate: the chosen one is a number only if the other was none.
  set_predicate(warp, op.predicate_out[0], truth, mask);
  set_predicate(warp, op.predicate_out[1], unordered, mask);
}

void decode_compare(Decoder& d) {
  const Word extreme = d.take("MIN") ? 16U : d.take("MAX") ? 32U : 0U;
  d.op().flags = extreme != 0 ? extreme : take_comparison(d);
  take_joint(d);
  take_compared(d, false, Type::wide_real, compare, OpClass::fp64);
}

}  // namespace

std::span<const OpEntry> double_ops() {
  static constexpr OpEntry entries[] = {
      {"DADD", decode_arithmetic<add, 2>},
      {"DMUL", decode_arithmetic<multiply, 2>},
      {"DFMA", decode_arithmetic<multiply_add, 3>},
      {"DSETP", decode_compare},
  };
  return entries;
}

}  // namespace tilescope::sass
