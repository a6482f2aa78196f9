#include "traces/sass/lanes.h"

namespace tilescope::sass {

void apply_modifiers(const LaneArray& from, std::uint8_t modifiers, LaneArray& to) {
  const auto each = [&](auto change) {
    for (Word& word : to) word = change(word);
  };
  to = from;
  if ((modifiers & Source::low_half) != 0) each([](Word w) { return (w & 0xffffU) * 0x10001U; });
  if ((modifiers & Source::high_half) != 0) each([](Word w) { return (w >> 16U) * 0x10001U; });
  if ((modifiers & Source::absolute_float) != 0) each([](Word w) { return w & 0x7fffffffU; });
  if ((modifiers & Source::absolute_half) != 0) each([](Word w) { return w & 0x7fff7fffU; });
  if ((modifiers & Source::negate_float) != 0) each([](Word w) { return w ^ 0x80000000U; });
  if ((modifiers & Source::negate_half) != 0) each([](Word w) { return w ^ 0x80008000U; });
  if ((modifiers & Source::invert) != 0) each([](Word w) { return ~w; });
  if ((modifiers & Source::negate_int) != 0) each([](Word w) { return 0U - w; });
}

void load_wide(const WarpState& warp, const Source& source, WideLanes& to) {
  const LaneArray& low = lanes_at(warp, source.low);
  const LaneArray& high = lanes_at(warp, source.high);
  for (std::size_t l = 0; l < kLanes; ++l) to.lane[l] = low[l] | Wide{high[l]} << 32U;
  if (source.modifiers == 0) return;
  constexpr Wide sign = Wide{1} << 63U;
  for (Wide& value : to.lane) {
    if ((source.modifiers & Source::absolute_float) != 0) value &= ~sign;
    if ((source.modifiers & Source::negate_float) != 0) value ^= sign;
    if ((source.modifiers & Source::invert) != 0) value = ~value;
    if ((source.modifiers & Source::negate_int) != 0) value = 0 - value;
  }
}

void store_wide(WarpState& warp, const MicroOp& op, const WideLanes& result, std::uint32_t mask) {
  LaneArray& low = output(warp, op.out);
  LaneArray& high = output(warp, op.out_high);
  if (mask == kAllLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      low[l] = static_cast<Word>(result.lane[l]);
      high[l] = static_cast<Word>(result.lane[l] >> 32U);
    }
    return;
  }
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (!has_lane(mask, static_cast<int>(l))) continue;
    low[l] = static_cast<Word>(result.lane[l]);
    high[l] = static_cast<Word>(result.lane[l] >> 32U);
  }
}

}  // namespace tilescope::sass
