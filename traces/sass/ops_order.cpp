// Instructions that only order, wait or hint: no result that a kernel computes with, no address that is followed, no
// place to go.
//
// Each opcode names the modifiers that it may carry; none of them changes what is counted. Any other is refused.
#include <algorithm>
#include <charconv>

#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

struct Order {
  std::string_view opcode;
  OpClass op;
  std::array<std::string_view, 10> modifiers;  // empty ones at the end
};

constexpr Order orders[] = {
    {"NOP", OpClass::nop, {}},
    {"ENDCOLLECTIVE", OpClass::branch, {}},
    {"PMTRIG", OpClass::nop, {}},
    {"PREEXIT", OpClass::dependency, {}},
    {"ACQBULK", OpClass::dependency, {}},
    {"LDGDEPBAR", OpClass::async_commit, {}},
    {"WARPGROUPSET", OpClass::group_wait, {}},
    // What is ordered, and for whom.
    {"MEMBAR", OpClass::membar, {"SC", "ALL", "CTA", "SM", "CLUSTER", "GPU", "SYS", "VC", "MMIO"}},
    {"ERRBAR", OpClass::error_barrier, {}},
    {"CGAERRBAR", OpClass::membar, {}},
    // Of local memory: one line or all, prefetched, invalidated, written back, reset.
    {"CCTLL", OpClass::cache_hint, {"IV", "IVALL", "PF1", "PF2", "WB", "WBALL", "RS", "RSLB"}},
    {"USETSHMSZ", OpClass::shared_release, {"FLUSH"}},
    {"FENCE", OpClass::fence, {"VIEW", "ASYNC", "S", "G"}},
};

// Registers that the operands name are read in front of the instruction.
void take_operands(Decoder& d) {
  while (d.more()) {
    const Operand* operand = d.pop();
    if (operand->kind == Operand::Kind::reg || operand->kind == Operand::Kind::predicate)
      if (!is_zero(operand->reg) && !is_true(operand->reg)) d.decoded.always_uses.push_back(operand->reg);
  }
}

Scope scope_of(const Decoder& d) {
  if (d.parsed().opcode == "CGAERRBAR") return Scope::cluster_errors;
  if (d.parsed().has("SYS")) return Scope::system;
  return d.parsed().has("CTA") || d.parsed().has("SM") ? Scope::cta : Scope::gpu;
}

void decode_order(Decoder& d) {
  const Order& order = *std::find_if(std::begin(orders), std::end(orders),
                                     [&d](const Order& one) { return one.opcode == d.parsed().opcode; });
  for (const std::string_view modifier : order.modifiers)
    if (!modifier.empty()) d.take(modifier);
  take_operands(d);
  set_class(d, order.op);
  if (order.op == OpClass::membar) d.decoded.instruction.detail = static_cast<std::uint16_t>(scope_of(d));
}

// DEPBAR.LE SB0, 0x1, {4,3}: until at most one group of copies that scoreboard 0 counts is out, and scoreboards 4 and 3
// are free. Without .LE: until those listed are free.
void decode_scoreboard_wait(Decoder& d) {
  set_class(d, OpClass::async_wait);
  d.take("ALL");
  unsigned scoreboard = kNoScoreboard, left = 0;
  if (d.take("LE")) {
    const Operand* counter = d.pop();
    if (counter == nullptr) return;
    const std::string_view text = counter->text;
    const bool known = text.size() == 3 && text.starts_with("SB") && text[2] >= '0' && text[2] < '0' + kScoreboards;
    if (!known) return d.fail("operand '" + counter->text + "' should be a scoreboard, SB0 to SB5");
    const std::int64_t most = d.immediate();
    if (most < 0 || most > 63) return d.fail("a scoreboard counts to 63");
    scoreboard = static_cast<unsigned>(text[2] - '0');
    left = static_cast<unsigned>(most);
  }
  Instruction& instruction = d.decoded.instruction;
  instruction.detail = static_cast<std::uint16_t>(left << 3 | scoreboard);
  while (d.more()) {
    const Operand* list = d.pop();
    for (const char digit : list->text)
      if (digit >= '0' && digit < '0' + kScoreboards)
        instruction.wait_mask =
            static_cast<std::uint8_t>(instruction.wait_mask | 1U << static_cast<unsigned>(digit - '0'));
  }
}

// WARPGROUP.DEPBAR.LE gsb0, 0x1: until at most one group of products is under way. WARPGROUP.ARRIVE orders registers.
void decode_warpgroup(Decoder& d) {
  set_class(d, OpClass::group_wait);
  if (!d.take("DEPBAR")) {
    d.take("ARRIVE"), d.take("WAIT");
    return take_operands(d);
  }
  d.take("LE");
  d.pop();
  const std::int64_t most = d.immediate();
  if (most < 0 || most > 7) return d.fail("at most 7 groups of products can be left");
  d.decoded.instruction.detail = static_cast<std::uint16_t>(most + 1);
}

// CCTL.IVALL drops all lines, CCTL.E.PF2 [R2.64] fetches one into L2, PF1 into L1, others concern one line.
void decode_cache_control(Decoder& d) {
  const bool far = d.take("E");
  for (const std::string_view which : {"C", "U"}) d.take(which);
  const bool first = d.take("PF1"), second = d.take("PF2");
  if (first || second) {
    MemoryAccess& access = d.decoded.access;
    d.decoded.is_memory = true;
    access.kind = MemoryKind::load;
    access.coherent = false;
    d.address(access.at, Space::global, 1, far);
    d.op().run = [](WarpState&, const MicroOp&, std::uint32_t) {};
    set_class(d, OpClass::prefetch);
    d.decoded.instruction.cached = first ? 1 : 0;
    return;
  }
  const bool all = d.take("IVALL") || d.take("IVALLP");
  for (const std::string_view one : {"IV", "WB", "RS"}) d.take(one);
  take_operands(d);
  set_class(d, all ? OpClass::cache_control : OpClass::cache_hint);
}

void all_granted(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  set_predicate(warp, op.predicate_out[0], kAllLanes, mask);
}

// USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8: registers are always granted. USETMAXREG.DEALLOC.CTAPOOL 0x28
void decode_register_share(Decoder& d) {
  d.take("CTAPOOL"), d.take("DEALLOC"), d.take("RELEASE");
  const bool asks = d.take("TRY_ALLOC");
  if (asks && d.next_is(Operand::Kind::predicate)) {
    d.predicate_out(0);
    d.op().run = all_granted;
  }
  take_operands(d);
  set_class(d, OpClass::uniform);
}

}  // namespace

std::span<const OpEntry> order_ops() {
  static const auto entries = [] {
    std::array<OpEntry, std::size(orders) + 4> all{};
    std::transform(std::begin(orders), std::end(orders), all.begin(), [](const Order& order) {
      return OpEntry{order.opcode, decode_order};
    });
    all[std::size(orders)] = {"DEPBAR", decode_scoreboard_wait};
    all[std::size(orders) + 3] = {"WARPGROUP", decode_warpgroup};
    all[std::size(orders) + 1] = {"USETMAXREG", decode_register_share};
    all[std::size(orders) + 2] = {"CCTL", decode_cache_control};
    return all;
  }();
  return entries;
}

}  // namespace tilescope::sass
