// Integer comparisons into predicates.
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"
#include "traces/sass/predicate_join.h"

namespace tilescope::sass {
namespace {

using Int = std::int32_t;

// flags: comparison, below it 8: unsigned, 16: with the result of the low words (.EX)
enum Comparison : Word { never, less, equal, less_equal, greater, not_equal, greater_equal, always };

template <class T>
std::array<std::uint8_t, kLanes> compared(const LaneArray& a, const LaneArray& b, Word comparison) {
  std::array<std::uint8_t, kLanes> truth{};
  const auto each = [&](auto test) {
    for (std::size_t l = 0; l < kLanes; ++l) truth[l] = test(static_cast<T>(a[l]), static_cast<T>(b[l])) ? 1 : 0;
  };
  switch (comparison) {
    case less:
      each([](T x, T y) { return x < y; });
      break;
    case equal:
      each([](T x, T y) { return x == y; });
      break;
    case less_equal:
      each([](T x, T y) { return x <= y; });
      break;
    case greater:
      each([](T x, T y) { return x > y; });
      break;
    case not_equal:
      each([](T x, T y) { return x != y; });
      break;
    case greater_equal:
      each([](T x, T y) { return x >= y; });
      break;
    case always:
      truth.fill(1);
      break;
    default:
      break;
  }
  return truth;
}

void compare(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const Word comparison = op.flags & 7U;
  const bool is_unsigned = (op.flags & 8U) != 0;
  std::uint32_t truth = packed(is_unsigned ? compared<Word>(a, b, comparison) : compared<Int>(a, b, comparison));
  if ((op.flags & 16U) != 0) {
    // The high words decide unless they are equal; then the low words' comparison does.
    const std::uint32_t same = packed(compared<Word>(a, b, equal)), low = predicate(warp, op.predicate_in[1]);
    const Word strict = comparison == less_equal      ? Word{less}
                        : comparison == greater_equal ? Word{greater}
                                                      : comparison;
    truth = packed(is_unsigned ? compared<Word>(a, b, strict) : compared<Int>(a, b, strict));
    truth = comparison == equal ? same & low : comparison == not_equal ? ~same | low : truth | (same & low);
  }
  join(warp, op, truth, mask);
}

void decode_compare(Decoder& d) {  // ISETP.GE.U32.AND.EX P0, P1, a, b, P2, P3
  static constexpr std::string_view names[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
  const std::string name = d.take_any();
  Word comparison = 8;
  for (Word i = 0; i < 8; ++i)
    if (names[i] == name) comparison = i;
  if (comparison == 8) d.fail("comparison ." + name);
  const bool extended = d.take("EX"), is_unsigned = d.take("U32");
  take_joint(d);
  d.predicate_out(0);
  d.predicate_out(1);
  d.in(0);
  d.in(1);
  d.predicate_in(0);
  if (extended) d.predicate_in(1);
  d.op().flags = comparison | (is_unsigned ? 8U : 0U) | (extended ? 16U : 0U);
  d.op().run = compare;
  d.op().linear = Linear::compare;
  set_math_class(d, OpClass::alu);
}

}  // namespace

std::span<const OpEntry> compare_ops() {
  static constexpr OpEntry entries[] = {{"ISETP", decode_compare}, {"UISETP", decode_compare}};
  return entries;
}

}  // namespace tilescope::sass
