// Exchanges between the lanes of a warp: shuffles, votes, matches, reductions.
#include <bit>

#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

using Int = std::int32_t;

enum class Shuffle : std::uint8_t { index, up, down, butterfly };

// SHFL: in[0] the value, in[1] the lane or distance, in[2] the bounds: the last lane of a segment in bits 0-4, its
// width as a mask from bit 8.
void shuffle(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, sb, sc, result;
  const LaneArray value = load(warp, op.in[0], sa);
  const LaneArray& distance = load(warp, op.in[1], sb);
  const LaneArray& bounds = load(warp, op.in[2], sc);
  std::uint32_t inside = 0;
  for (Word l = 0; l < kLanes; ++l) {
    const Word segment = bounds[l] >> 8U & 31U, clamp = bounds[l] & 31U, by = distance[l] & 31U;
    const Word most = (l & segment) | (clamp & ~segment), least = l & segment;
    Word from = l;
    bool valid = false;
    switch (static_cast<Shuffle>(op.flags)) {
      case Shuffle::up:
        from = l - by;
        valid = static_cast<Int>(from) >= static_cast<Int>(most);
        break;
      case Shuffle::down:
        from = l + by;
        valid = from <= most;
        break;
      case Shuffle::butterfly:
        from = l ^ by;
        valid = from <= most;
        break;
      case Shuffle::index:
        from = least | (by & ~segment);
        valid = from <= most;
        break;
    }
    if (!valid) from = l;
    inside |= static_cast<std::uint32_t>(valid) << l;
    result[l] = value[from & 31U];
  }
  merge(output(warp, op.out), result, mask);
  set_predicate(warp, op.predicate_out[0], inside, mask);
}

void decode_shuffle(Decoder& d) {  // SHFL.BFLY P0, R0, R1, 0x10, 0x1f
  const Shuffle kind = d.take("UP")     ? Shuffle::up
                       : d.take("DOWN") ? Shuffle::down
                       : d.take("BFLY") ? Shuffle::butterfly
                                        : Shuffle::index;
  d.take("IDX");
  d.op().flags = static_cast<Word>(kind);
  if (d.next_is(Operand::Kind::predicate)) d.predicate_out(0);
  d.out();
  for (std::size_t i = 0; i < 3; ++i) d.in(i);
  d.decoded.warp_wide = true;
  d.op().run = shuffle;
  set_class(d, OpClass::shuffle);
}

// VOTE: flags 1 ANY, 2 ALL, 3 EQ. The register gets the ballot.
void vote(WarpState& warp, const MicroOp& op, std::uint32_t) {
  const std::uint32_t voters = predicate(warp, {op.guard, op.guard_inverted}) & warp.active;
  const std::uint32_t ballot = predicate(warp, op.predicate_in[0]) & voters;
  LaneArray result;
  result.fill(ballot);
  const std::uint32_t to = op.whole_warp ? kAllLanes : voters;
  merge(output(warp, op.out), result, to);
  const bool truth = op.flags == 1 ? ballot != 0 : op.flags == 2 ? ballot == voters : ballot == 0 || ballot == voters;
  set_predicate(warp, op.predicate_out[0], truth ? kAllLanes : 0, to);
}

void decode_vote(Decoder& d) {  // VOTE.ANY R0, PT, P1; VOTE.ALL P0, P1; VOTEU.ANY UR4, UPT, P0
  d.op().flags = d.take("ANY") ? 1U : d.take("ALL") ? 2U : d.take("EQ") ? 3U : 0U;
  if (d.op().flags == 0) d.fail("neither ANY, ALL nor EQ");
  if (d.next_is(Operand::Kind::reg)) d.out();
  if (d.left() > 1) d.predicate_out(0);
  d.predicate_in(0);
  d.decoded.warp_wide = true;
  d.op().run = vote;
  set_move_class(d, OpClass::alu);
}

// MATCH: which active lanes hold the same value. flags: 1 ALL (all or none), 2 of 64 bits
void match(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  WideLanes value;
  load_wide(warp, op.in[0], value);
  LaneArray result{};
  bool all = true;
  for (std::size_t l = 0; l < kLanes; ++l) {
    for (std::size_t other = 0; other < kLanes; ++other)
      if (has_lane(mask, static_cast<int>(other)) && value.lane[l] == value.lane[other]) result[l] |= 1U << other;
    if (has_lane(mask, static_cast<int>(l))) all = all && result[l] == mask;
  }
  if ((op.flags & 1U) != 0) result.fill(all ? mask : 0);
  merge(output(warp, op.out), result, mask);
  set_predicate(warp, op.predicate_out[0], all ? kAllLanes : 0, mask);
}

void decode_match(Decoder& d) {
  d.op().flags = d.take("ALL") ? 1U : 0U;
  d.take("ANY");
  const bool wide = d.take("U64");
  if (d.next_is(Operand::Kind::predicate)) d.predicate_out(0);
  d.out();
  d.in(0, wide ? Type::wide_integer : Type::integer);
  d.decoded.warp_wide = true;
  d.op().run = match;
  set_class(d, OpClass::shuffle);
}

// REDUX: one value of all active lanes. flags: 0 AND, 1 OR, 2 XOR, 3 SUM, 4 MIN, 5 MAX; 8 signed
void reduce(WarpState& warp, const MicroOp& op, std::uint32_t) {
  const std::uint32_t lanes = predicate(warp, {op.guard, op.guard_inverted}) & warp.active;
  if (lanes == 0) return;
  LaneArray scratch, result;
  const LaneArray& value = load(warp, op.in[0], scratch);
  Word total = value[static_cast<std::size_t>(std::countr_zero(lanes))];
  for (std::uint32_t left = lanes & (lanes - 1); left != 0; left &= left - 1) {
    const Word next = value[static_cast<std::size_t>(std::countr_zero(left))];
    const bool less = (op.flags & 8U) != 0 ? static_cast<Int>(next) < static_cast<Int>(total) : next < total;
    switch (op.flags & 7U) {
      case 0:
        total &= next;
        break;
      case 1:
        total |= next;
        break;
      case 2:
        total ^= next;
        break;
      case 3:
        total += next;
        break;
      case 4:
        total = less ? next : total;
        break;
      default:
        total = less ? total : next;
        break;
    }
  }
  result.fill(total);
  merge(output(warp, op.out), result, op.whole_warp ? kAllLanes : lanes);
}

void decode_reduce(Decoder& d) {
  Word kind = 0;
  static constexpr std::string_view names[] = {"AND", "OR", "XOR", "SUM", "MIN", "MAX"};
  for (Word i = 0; i < 6; ++i)
    if (d.take(names[i])) kind = i;
  d.op().flags = kind | (d.take("S32") ? 8U : 0U);
  d.take("U32");
  d.out();
  d.in(0);
  d.decoded.warp_wide = true;
  d.op().run = reduce;
  set_class(d, OpClass::xu);
}

// ELECT: the first active lane; the predicate is true in it alone.
void elect(WarpState& warp, const MicroOp& op, std::uint32_t) {
  const std::uint32_t lanes = predicate(warp, {op.guard, op.guard_inverted}) & warp.active;
  if (lanes == 0) return;
  const auto first = static_cast<Word>(std::countr_zero(lanes));
  output(warp, op.out).fill(first);
  set_predicate(warp, op.predicate_out[0], 1U << first, lanes);
}

void decode_elect(Decoder& d) {  // ELECT P0, URZ, PT
  d.predicate_out(0);
  d.out();
  d.predicate_in(0);
  d.decoded.warp_wide = true;
  d.op().run = elect;
  set_class(d, OpClass::uniform);
}

}  // namespace

std::span<const OpEntry> lane_ops() {
  static constexpr OpEntry entries[] = {
      {"SHFL", decode_shuffle}, {"VOTE", decode_vote},     {"VOTEU", decode_vote},  {"MATCH", decode_match},
      {"REDUX", decode_reduce}, {"CREDUX", decode_reduce}, {"ELECT", decode_elect},
  };
  return entries;
}

}  // namespace tilescope::sass
