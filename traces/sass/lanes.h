// Loops over the 32 lanes of a warp, for the functions that execute instructions. They are written so that the compiler
// turns them into vector code.
#pragma once

#include <bit>
#include <cstdint>

#include "traces/sass/micro_op.h"

// The next loop's lanes do not depend on each other, although results may lie where sources lie.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // under a sanitizer no loop is vectorised
#define TILESCOPE_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILESCOPE_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace tilescope::sass {

using Word = std::uint32_t;
using Wide = std::uint64_t;

inline const LaneArray& lanes_at(const WarpState& warp, std::int32_t index) {
  if (index >= 0) return warp.lanes[static_cast<std::size_t>(index)];
  const std::int32_t in_pool = ~index;
  return warp.launch->pool[static_cast<std::size_t>(in_pool)];
}
inline LaneArray& output(WarpState& warp, std::int32_t slot) { return warp.lanes[static_cast<std::size_t>(slot)]; }

inline const LaneArray& read_register(const WarpState& warp, RegisterId id) {
  return warp.lanes[is_zero(id) ? kZeroSlot : warp.launch->slot[id]];
}
inline LaneArray& written_register(WarpState& warp, RegisterId id) {
  return warp.lanes[is_zero(id) ? kTrashSlot : warp.launch->slot[id]];
}

void apply_modifiers(const LaneArray& from, std::uint8_t modifiers, LaneArray& to);

// A 32-bit source, its modifiers applied in `scratch` when it has any.
inline const LaneArray& load(const WarpState& warp, const Source& source, LaneArray& scratch) {
  const LaneArray& lanes = lanes_at(warp, source.low);
  if (source.modifiers == 0) return lanes;
  apply_modifiers(lanes, source.modifiers, scratch);
  return scratch;
}

struct WideLanes {
  alignas(16) std::array<Wide, kLanes> lane;
};
// A 64-bit source: integer or double by its modifiers.
void load_wide(const WarpState& warp, const Source& source, WideLanes& to);

constexpr bool has_lane(std::uint32_t mask, int lane) { return (mask >> lane & 1U) != 0; }

// The bit of each lane in a mask.
inline constexpr LaneArray kLaneBit = [] {
  LaneArray bits{};
  for (std::size_t l = 0; l < kLanes; ++l) bits[l] = Word{1} << l;
  return bits;
}();

inline void merge(LaneArray& to, const LaneArray& from, std::uint32_t mask) {
  if (mask == kAllLanes) {
    to = from;
    return;
  }
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Word keep = Word{(mask & kLaneBit[l]) != 0} - 1U;
    to[l] = (to[l] & keep) | (from[l] & ~keep);
  }
}

// One 32-bit result of up to three 32-bit sources.
template <Word (*F)(Word, Word, Word, Word)>
void lanewise(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, sc, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const LaneArray& c = load(warp, op.in[2], sc);
  const Word flags = op.flags;
  LaneArray& out = output(warp, op.out);
  if (mask == kAllLanes) {
    TILESCOPE_INDEPENDENT_LANES
    for (std::size_t l = 0; l < kLanes; ++l) out[l] = F(a[l], b[l], c[l], flags);
    return;
  }
  TILESCOPE_INDEPENDENT_LANES
  for (std::size_t l = 0; l < kLanes; ++l) result[l] = F(a[l], b[l], c[l], flags);
  merge(out, result, mask);
}

void store_wide(WarpState& warp, const MicroOp& op, const WideLanes& result, std::uint32_t mask);

// A 64-bit result of two 32-bit sources and a 64-bit one: IMAD.WIDE.
template <Wide (*F)(Word, Word, Wide)>
void widening(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb;
  WideLanes c, result;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  load_wide(warp, op.in[2], c);
  for (std::size_t l = 0; l < kLanes; ++l) result.lane[l] = F(a[l], b[l], c.lane[l]);
  store_wide(warp, op, result, mask);
}

// A 64-bit result of up to three 64-bit sources.
template <Wide (*F)(Wide, Wide, Wide, Word)>
void lanewise_wide(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  WideLanes a, b, c, result;
  load_wide(warp, op.in[0], a);
  load_wide(warp, op.in[1], b);
  load_wide(warp, op.in[2], c);
  for (std::size_t l = 0; l < kLanes; ++l) result.lane[l] = F(a.lane[l], b.lane[l], c.lane[l], op.flags);
  store_wide(warp, op, result, mask);
}

// Bit l of the result: truth[l] is not zero.
inline std::uint32_t packed(const std::array<std::uint8_t, kLanes>& truth) {
  std::uint32_t mask = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    Wide bytes = 0;
    for (std::size_t i = 0; i < 8; ++i) bytes |= Wide{truth[part * 8 + i]} << (8 * i);
    mask |= static_cast<std::uint32_t>((bytes & 0x0101010101010101U) * 0x0102040810204080U >> 56U) << (8 * part);
  }
  return mask;
}

inline std::uint32_t predicate(const WarpState& warp, const PredicateSource& source) {
  const std::uint32_t value = warp.predicates[source.index];
  return source.inverted ? ~value : value;
}
inline void set_predicate(WarpState& warp, std::uint8_t index, std::uint32_t value, std::uint32_t mask) {
  if ((index & 7U) == 7) return;
  std::uint32_t& to = warp.predicates[index];
  to = (to & ~mask) | (value & mask);
}

inline float as_float(Word bits) { return std::bit_cast<float>(bits); }
inline Word bits_of(float value) { return std::bit_cast<Word>(value); }
inline double as_double(Wide bits) { return std::bit_cast<double>(bits); }
inline Wide bits_of(double value) { return std::bit_cast<Wide>(value); }

}  // namespace tilescope::sass
