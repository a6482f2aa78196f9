#include "traces/sass/loop_run.h"

#include <algorithm>
#include <limits>

#include "traces/sass/lanes.h"

namespace tilescope::sass {
namespace {

constexpr std::int64_t kWord = std::int64_t{1} << 32U;

// What is added to a word to get from one to the other, from -2^31 to 2^31 - 1.
std::int64_t signed_step(std::uint64_t by) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(by)); }

bool all_equal(const LaneArray& lanes) {
  return std::all_of(lanes.begin(), lanes.end(), [&](Word word) { return word == lanes[0]; });
}

// Turns after this one in which x, moving by e, stays on its side of zero, zero being on the side of what is above.
std::uint64_t turns_on_side(std::int64_t x, std::int64_t e) {
  constexpr std::uint64_t kAlways = ~std::uint64_t{0};
  if (e == 0 || (x < 0) == (e < 0)) return kAlways;
  return static_cast<std::uint64_t>(x < 0 ? (-x - 1) / e : x / -e);
}

// ... in which it stays zero, or not zero.
std::uint64_t turns_to_zero(std::int64_t x, std::int64_t e) {
  constexpr std::uint64_t kAlways = ~std::uint64_t{0};
  if (e == 0) return kAlways;
  if (x == 0) return 0;
  return x % e != 0 || (x < 0) == (e < 0) ? kAlways : static_cast<std::uint64_t>(-(x / e) - 1);
}

}  // namespace

LoopRun::LoopRun(const Program& program) : program_(program) {}

void LoopRun::begin(std::vector<LaneArray>& turn, const WarpState& now) {
  slots_.assign(now.lanes.size(), {});
  for (std::size_t slot = kFirstSlot; slot < slots_.size(); ++slot) {
    const LaneArray &from = turn[slot], &to = now.lanes[slot];
    const Word by = to[0] - from[0];
    Word differs = 0;
    for (std::size_t l = 0; l < kLanes; ++l) differs |= (to[l] - from[l]) ^ by;
    slots_[slot].by = slots_[slot].assumed = signed_step(by);
    slots_[slot].known = differs == 0;
  }
  turn = now.lanes;
  began_ = &turn;
  predicates_ = now.predicates;
  advance_.clear();
  turns_ = kMostTurns;
}

std::int64_t LoopRun::reads(std::int32_t index) {
  if (index < kFirstSlot) return 0;  // in the pool, zero, or never read
  Moving& slot = slots_[static_cast<std::size_t>(index)];
  if (!slot.written) slot.read_first = true;
  if (!slot.known) fail();
  return slot.by;
}

std::int64_t LoopRun::reads(const Source& source) {
  const std::int64_t by = reads(source.low);
  if (by == 0 || source.modifiers == 0) return by;
  if (source.modifiers != Source::negate_int && source.modifiers != Source::invert) fail();
  return -by;
}

void LoopRun::writes(std::int32_t index, std::int64_t by) {
  if (index < kFirstSlot) return;
  Moving& slot = slots_[static_cast<std::size_t>(index)];
  slot.by = signed_step(static_cast<std::uint64_t>(by));
  slot.known = slot.written = true;
}

// Turns in which lanes that move so stay from 0 to 2^32 - 1.
void LoopRun::stays_unsigned(const LaneArray& lanes, std::int64_t by) {
  if (by == 0) return;
  const auto [least, most] = std::minmax_element(lanes.begin(), lanes.end());
  turns_ = std::min(turns_, static_cast<std::uint64_t>(by > 0 ? (kWord - 1 - *most) / by : *least / -by));
}

void LoopRun::stays_signed(const LaneArray& lanes, std::int64_t by) {
  LaneArray moved;
  for (std::size_t l = 0; l < kLanes; ++l) moved[l] = lanes[l] ^ 0x80000000U;
  stays_unsigned(moved, by);
}

// Of a pair of registers, whose low word must not wrap around.
std::int64_t LoopRun::wide_moves(const WarpState& warp, const Source& source) {
  const std::int64_t low = reads(source.low), high = reads(source.high);
  if (low == 0 && high == 0) return 0;
  if (source.modifiers != 0) fail();
  stays_unsigned(lanes_at(warp, source.low), low);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (static_cast<std::uint64_t>(high) << 32U));
}

std::int64_t LoopRun::product(const WarpState& warp, const MicroOp& op, bool is_signed, bool wide) {
  const std::int64_t a = reads(op.in[0]), b = reads(op.in[1]);
  std::uint64_t by = static_cast<std::uint64_t>(wide ? wide_moves(warp, op.in[2]) : reads(op.in[2]));
  if (a == 0 && b == 0) return static_cast<std::int64_t>(by);
  if (a != 0 && b != 0) fail();
  const Source& moving = op.in[a != 0 ? 0 : 1];
  const Source& fixed = op.in[a != 0 ? 1 : 0];
  LaneArray scratch, other;
  const LaneArray& factor = load(warp, fixed, scratch);
  if (!all_equal(factor)) fail();
  if (wide) {
    const LaneArray& lanes = load(warp, moving, other);
    is_signed ? stays_signed(lanes, a + b) : stays_unsigned(lanes, a + b);
  }
  const std::int64_t times = is_signed ? static_cast<std::int32_t>(factor[0]) : std::int64_t{factor[0]};
  by += static_cast<std::uint64_t>(a + b) * static_cast<std::uint64_t>(times);
  return static_cast<std::int64_t>(by);
}

void LoopRun::compare(const WarpState& warp, const MicroOp& op) {
  const std::int64_t da = reads(op.in[0]), db = reads(op.in[1]);
  if (da == 0 && db == 0) return;
  if ((op.flags & 16U) != 0) return fail();
  LaneArray sa, sb;
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& b = load(warp, op.in[1], sb);
  const bool is_unsigned = (op.flags & 8U) != 0;
  for (const auto& [lanes, by] : {std::pair{&a, da}, std::pair{&b, db}})
    is_unsigned ? stays_unsigned(*lanes, by) : stays_signed(*lanes, by);
  const auto value = [&](Word word) { return is_unsigned ? std::int64_t{word} : static_cast<std::int32_t>(word); };
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::int64_t x = value(a[l]) - value(b[l]);
    switch (op.flags & 7U) {  // F, LT, EQ, LE, GT, NE, GE, T
      case 1:
      case 6:
        turns_ = std::min(turns_, turns_on_side(x, da - db));
        break;
      case 3:
      case 4:
        turns_ = std::min(turns_, turns_on_side(x - 1, da - db));
        break;
      case 2:
      case 5:
        turns_ = std::min(turns_, turns_to_zero(x, da - db));
        break;
      default:
        break;
    }
  }
}

// No rule: what it reads must not move.
void LoopRun::other(const Step& step) {
  const Decoded& decoded = program_.code[step.op->instruction];
  if (decoded.special_register || decoded.barrier_result || decoded.values_missing) return fail();
  const auto slot_of = [&](RegisterId id) {
    return is_zero(id) || is_predicate(id) ? std::int32_t{kZeroSlot} : std::int32_t{program_.launch.slot[id]};
  };
  for (const auto* ids : {&decoded.uses, &decoded.always_uses, &decoded.data_uses})
    for (const RegisterId id : *ids)
      if (reads(slot_of(id)) != 0) fail();
  for (const RegisterId id : decoded.defines) writes(slot_of(id), 0);
}

std::int64_t LoopRun::address(const WarpState& warp, const AddressRule& rule) {
  std::uint64_t by = 0;
  const auto add = [&](std::int32_t low, std::int32_t high, bool wide) {
    const std::int64_t moves = reads(low);
    stays_unsigned(lanes_at(warp, low), moves);
    by += static_cast<std::uint64_t>(moves);
    if (wide) by += static_cast<std::uint64_t>(reads(high)) << 32U;
  };
  add(rule.low, rule.high, rule.wide);
  add(rule.uniform_low, rule.uniform_high, rule.uniform_wide);
  const bool narrow = !rule.wide && !rule.uniform_wide;
  if (by != 0 && (narrow || rule.shift != 0 || rule.space != Space::global || by % rule.bytes != 0)) fail();
  return static_cast<std::int64_t>(by);
}

void LoopRun::memory(const WarpState& warp, const Step& step) {
  const MemoryInstruction& memory = program_.memory[static_cast<std::size_t>(step.memory)];
  const Space space = memory.at.space;
  if (step.moves_data || space == Space::generic || space == Space::local) return fail();
  advance_.push_back(address(warp, memory.at));
  if (memory.decoded->access.kind != MemoryKind::async_copy) return;
  if (memory.decoded->access.zero_fill) fail();  // part of the address is no address
  advance_.push_back(address(warp, memory.to));
}

void LoopRun::before(const WarpState& warp, const Step& step, std::uint32_t lanes) {
  if (failed()) return;
  if (step.memory >= 0) return memory(warp, step);
  if (lanes == 0) return;
  const MicroOp& op = *step.op;
  switch (op.linear) {
    case Linear::none:
      other(step);
      break;
    case Linear::sum:
      result_ = reads(op.in[0]) + reads(op.in[1]) + reads(op.in[2]);
      break;
    case Linear::carry_sum:
      result_ = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t by = reads(op.in[i].low);
        if (by != 0 && op.in[i].modifiers != 0) fail();
        stays_unsigned(lanes_at(warp, op.in[i].low), by);
        result_ += (op.flags >> i & 1U) != 0 ? -by : by;
      }
      break;
    case Linear::product:
      result_ = product(warp, op, false, false);
      break;
    case Linear::wide_product:
      result_ = product(warp, op, true, true);
      break;
    case Linear::unsigned_product:
      result_ = product(warp, op, false, true);
      break;
    case Linear::compare:
      compare(warp, op);
      return;
  }
  // Lanes that keep what was there would have to move as the others do.
  if (lanes != kAllLanes) fail();
}

void LoopRun::after(const WarpState& warp, const Step& step, std::uint32_t lanes) {
  if (failed() || step.memory >= 0 || lanes == 0) return;
  const MicroOp& op = *step.op;
  switch (op.linear) {
    case Linear::none:
    case Linear::compare:
      break;
    case Linear::carry_sum:
      // Neither the sources nor the sum wrap around, so the carries stay.
      if (result_ < -kWord / 2 || result_ >= kWord / 2 || op.out < kFirstSlot) {
        if (result_ != 0) fail();
        break;
      }
      stays_unsigned(lanes_at(warp, op.out), result_);
      [[fallthrough]];
    case Linear::sum:
    case Linear::product:
      writes(op.out, result_);
      break;
    case Linear::wide_product:
    case Linear::unsigned_product: {
      const std::int64_t low = signed_step(static_cast<std::uint64_t>(result_));
      if (op.out >= kFirstSlot)
        stays_unsigned(lanes_at(warp, op.out), low);
      else if (low != 0)
        fail();
      writes(op.out, low);
      writes(op.out_high,
             static_cast<std::int64_t>((static_cast<std::uint64_t>(result_) - static_cast<std::uint64_t>(low)) >> 32U));
      break;
    }
  }
}

// Lanes must stay together, and go where the predicates say alone.
void LoopRun::control(const Decoded& decoded) {
  const bool known = decoded.flow == Flow::next || decoded.flow == Flow::barrier || decoded.flow == Flow::arrive ||
                     (decoded.flow == Flow::branch && (decoded.op.flags & 3U) == 0);
  if (!known) fail();
}

std::uint32_t LoopRun::end(WarpState& warp, std::uint64_t most) {
  turns_ = std::min(turns_, most);
  if (failed() || warp.predicates != predicates_) return 0;
  for (std::size_t slot = kFirstSlot; slot < slots_.size(); ++slot) {
    const Moving& moving = slots_[slot];
    if (!moving.read_first) continue;
    if (moving.by != moving.assumed) return 0;
    const auto by = static_cast<Word>(static_cast<std::uint64_t>(moving.assumed));
    for (std::size_t l = 0; l < kLanes; ++l)
      if (warp.lanes[slot][l] - (*began_)[slot][l] != by) return 0;
  }
  for (std::size_t slot = kFirstSlot; slot < slots_.size(); ++slot) {
    if (!slots_[slot].written || slots_[slot].by == 0) continue;
    const auto by = static_cast<Word>(static_cast<std::uint64_t>(slots_[slot].by) * turns_);
    for (Word& word : warp.lanes[slot]) word += by;
  }
  return static_cast<std::uint32_t>(turns_);
}

}  // namespace tilescope::sass
