// Branches, convergence and barriers.
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

void set_flow(Decoder& d, Flow flow, OpClass op) {
  d.decoded.flow = flow;
  set_class(d, op);
}

// Lanes part or meet: no jump.
void set_turn(Decoder& d, Flow flow, Turn turn) {
  set_flow(d, flow, OpClass::convergence);
  d.decoded.instruction.detail = static_cast<std::uint16_t>(turn);
}

void use_always(Decoder& d) {
  auto& decoded = d.decoded;
  decoded.always_uses.insert(decoded.always_uses.end(), decoded.uses.begin(), decoded.uses.end());
  decoded.uses.clear();
}

void decode_branch(Decoder& d) {  // BRA P0, target; BRA.U UP0, target; BRA.DIV UR4, target
  set_flow(d, Flow::branch, OpClass::branch);
  d.take("INC"), d.take("DEC"), d.take("U");
  if (d.take("DIV") || d.take("CONV")) {
    // Taken when the lanes of the mask are not all here. flags: 1 DIV, 2 CONV
    d.op().flags = d.parsed().has("DIV") ? 1 : 2;
    d.in(0);
  } else if (d.take("ANY") || d.take("ALL")) {
    d.op().flags = d.parsed().has("ANY") ? 4 : 8;  // the whole warp goes where any, or all, would
  }
  if (d.next_is(Operand::Kind::predicate)) {
    const Operand* condition = d.peek();
    d.predicate_in(0);
    d.decoded.condition = d.op().predicate_in[0];
    if (condition->reg >= kUP0 && d.parsed().guard == kPT && d.next_is(Operand::Kind::predicate)) d.predicate_in(1);
  }
  d.target();
  use_always(d);
}

void decode_exit(Decoder& d) {  // EXIT; EXIT P0
  d.take("KEEPREFCOUNT"), d.take("PREEMPTED");
  set_flow(d, Flow::exit, OpClass::exit);
  if (!d.next_is(Operand::Kind::predicate)) return;
  d.predicate_in(0);
  d.decoded.condition = d.op().predicate_in[0];
  use_always(d);
}

// The register that a jump goes to: a distance from `target`, or both halves of a code address.
void jump_register(Decoder& d, bool absolute) {
  const Operand* to = d.pop();
  if (to == nullptr) return;
  if (to->kind != Operand::Kind::reg) return d.fail("operand '" + to->text + "' should be a register");
  d.decoded.flow = Flow::jump;
  d.decoded.absolute = absolute;
  d.decoded.target_register = to->reg;
  d.decoded.always_uses.push_back(to->reg);
  if (absolute) d.decoded.always_uses.push_back(d.after(to->reg, 1));
}

void decode_call(Decoder& d) {  // CALL.REL.NOINC target; CALL.ABS.NOINC `(function); CALL.ABS.NOINC R8
  set_flow(d, Flow::call, OpClass::branch);
  if (!d.take("NOINC")) d.fail("a call that pushes its return address");
  const bool absolute = d.take("ABS");
  d.take("REL");
  if (d.next_is(Operand::Kind::reg)) {
    jump_register(d, absolute);
    if (d.more() && !absolute) d.target();
    return;
  }
  if (absolute && !d.next_is(Operand::Kind::label))
    return d.fail("a call of a function that only the ELF text names; give it (kernel: {elf: ...})");
  d.target();
}

void decode_return(Decoder& d) {  // RET.REL.NODEC R20 0x0; RET.ABS.NODEC R20 0x0
  set_flow(d, Flow::jump, OpClass::branch);
  d.take("REL"), d.take("NODEC");
  const bool absolute = d.take("ABS");
  jump_register(d, absolute);
  d.decoded.returns = true;
  // The place added is the start of the function: the register of a relative return holds a distance from there.
  d.decoded.target = absolute ? 0 : d.function_start();
  if (!d.more()) return;
  if (absolute)
    d.decoded.target = static_cast<std::uint32_t>(d.immediate());
  else
    d.pop();
}

void decode_jump(Decoder& d) {  // JMP 0x100; JMP R2; JMX R2 0x10 (*"..."*)
  set_flow(d, Flow::branch, OpClass::branch);
  if (d.next_is(Operand::Kind::reg)) {
    jump_register(d, true);
    if (d.next_is(Operand::Kind::immediate)) d.decoded.target = static_cast<std::uint32_t>(d.immediate());
    while (d.more()) d.pop();  // the list of targets, a remark
    return;
  }
  if (d.next_is(Operand::Kind::predicate)) {
    d.predicate_in(0);
    d.decoded.condition = d.op().predicate_in[0];
  }
  if (!d.next_is(Operand::Kind::label)) return d.fail("a jump to a place that only the ELF text names");
  d.target();
  use_always(d);
}

void decode_indirect(Decoder& d) {  // BRX R4 -0x10 (*"BRANCH_TARGETS ..."*)
  set_flow(d, Flow::jump, OpClass::branch);
  jump_register(d, false);
  // Relative to the next instruction.
  std::uint64_t offset = d.here() + kInstructionBytes;
  if (d.next_is(Operand::Kind::immediate)) offset += static_cast<std::uint64_t>(d.immediate());
  d.decoded.target = static_cast<std::uint32_t>(offset);
  while (d.more()) d.pop();  // the list of targets, a remark
}

std::uint8_t convergence_register(Decoder& d) {
  const Operand* operand = d.pop();
  if (operand == nullptr) return 0;
  if (operand->kind != Operand::Kind::barrier || operand->value < 0 || operand->value > 15) {
    d.fail("operand '" + operand->text + "' should be a convergence barrier");
    return 0;
  }
  return static_cast<std::uint8_t>(operand->value);
}

void decode_open(Decoder& d) {
  set_turn(d, Flow::open, Turn::none);
  d.take("RELIABLE"), d.take("RECONVERGENT");
  d.decoded.convergence = convergence_register(d);
  d.target();
}

void decode_meet(Decoder& d) {
  set_turn(d, Flow::meet, Turn::meets);
  d.take("RELIABLE"), d.take("RECONVERGENT");
  d.decoded.convergence = convergence_register(d);
}

void decode_leave(Decoder& d) {
  set_turn(d, Flow::leave, Turn::none);
  d.take("RELIABLE"), d.take("RECONVERGENT");
  if (d.next_is(Operand::Kind::predicate)) {
    d.predicate_in(0);
    d.decoded.condition = d.op().predicate_in[0];
    use_always(d);
  }
  d.decoded.convergence = convergence_register(d);
}

// BMOV.32.CLEAR R16, B6 and back: puts a convergence barrier away around a call. flags: 1 cleared
void decode_barrier_move(Decoder& d) {
  d.take("32");
  d.op().flags = d.take("CLEAR") ? 1U : 0U;
  const bool save = d.next_is(Operand::Kind::reg);
  set_turn(d, save ? Flow::save : Flow::restore, Turn::none);
  if (save) d.out();
  d.decoded.convergence = convergence_register(d);
  if (!save) d.in(0);
  use_always(d);
  // The mask is moved whether or not anybody asks for the register's value.
  if (save) d.decoded.always_uses.push_back(d.op().first_out);
}

void decode_gather(Decoder& d) {  // WARPSYNC 0xffffffff; WARPSYNC.COLLECTIVE R10, target; WARPSYNC.ALL
  set_turn(d, Flow::gather, Turn::none);
  const bool all = d.take("ALL"), exclusive = d.take("EXCLUSIVE"), collective = d.take("COLLECTIVE");
  if (all && !d.more()) {
    d.in_constant(0, kAllLanes);
    return;
  }
  (void)exclusive;
  d.in(0);
  use_always(d);
  if (collective && d.more()) d.target();
  d.decoded.has_target = false;
}

void decode_barrier(Decoder& d) {  // BAR.SYNC.DEFER_BLOCKING id[, threads][, predicate]
  d.take("DEFER_BLOCKING");
  const bool arrive = d.take("ARV"), reduce = d.take("RED");
  const bool sync = d.take("SYNC"), all = d.take("SYNCALL");
  if (!arrive && !reduce && !sync && !all) return d.fail("neither SYNC, ARV nor RED");
  d.decoded.flow = arrive ? Flow::arrive : Flow::barrier;
  set_class(d, arrive ? OpClass::barrier_arrival : OpClass::barrier);
  d.op().flags = d.take("POPC") ? 1U : d.take("AND") ? 2U : d.take("OR") ? 3U : 0U;
  d.op().in[0].low = d.op().in[1].low = kRZ;
  // Who arrives, at which barrier, and of how many threads: a warp whose lanes are off does not arrive.
  const bool always = d.parsed().guard == kPT && !d.parsed().guard_inverted;
  bool known = true;
  unsigned barrier = 0;
  if (!all) {
    if (!d.more()) return d.fail("which barrier is missing");
    known = d.next_is(Operand::Kind::immediate);
    if (known) barrier = static_cast<unsigned>(d.peek()->value & 15);
    d.in(0);
  }
  unsigned warps = 0;  // all of the CTA
  if (d.more() && !d.next_is(Operand::Kind::predicate)) {
    const Operand* threads = d.peek();
    known = known && threads->kind == Operand::Kind::immediate && threads->value >= 0 && threads->value <= 1024;
    if (known && threads->value != d.block_threads())
      warps = static_cast<unsigned>(threads->value + kLanes - 1) / kLanes;
    d.in(1);
  }
  d.decoded.instruction.detail = static_cast<std::uint16_t>(barrier | warps << 4U);
  if (!known || !always) set_class(d, OpClass::partial_barrier);
  if (reduce) {
    d.predicate_in(0);
    d.decoded.barrier_result = true;
  }
  use_always(d);
}

void barrier_result(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray result;
  result.fill(warp.barrier_result);
  merge(output(warp, op.out), result, mask);
  set_predicate(warp, op.predicate_out[0], warp.barrier_result != 0 ? kAllLanes : 0, mask);
}

void decode_barrier_result(Decoder& d) {  // B2R.RESULT R0[, P0]
  if (!d.take("RESULT")) return d.fail("other than .RESULT");
  d.out();
  if (d.more()) d.predicate_out(0);
  d.decoded.barrier_result = true;
  d.op().run = barrier_result;
  set_class(d, OpClass::special);
}

void decode_yield(Decoder& d) {
  d.take("SYNCS");  // until an mbarrier changes, or so long
  set_flow(d, Flow::yield, OpClass::nop);
  while (d.more()) d.pop();
}

void decode_trap(Decoder& d) {  // BPT.TRAP 0x1; KILL
  if (d.parsed().opcode == "BPT" && !d.take("TRAP") && !d.take("INT")) d.fail("neither TRAP nor INT");
  while (d.more()) d.pop();
  set_flow(d, Flow::trap, OpClass::exit);
}

}  // namespace

std::span<const OpEntry> control_ops() {
  static constexpr OpEntry entries[] = {
      {"BRA", decode_branch},         {"EXIT", decode_exit},       {"CALL", decode_call},
      {"RET", decode_return},         {"BRX", decode_indirect},    {"JMP", decode_jump},
      {"JMX", decode_jump},           {"BRXU", decode_indirect},   {"JMXU", decode_jump},
      {"BSSY", decode_open},          {"BSYNC", decode_meet},      {"BREAK", decode_leave},
      {"BMOV", decode_barrier_move},  {"WARPSYNC", decode_gather}, {"BAR", decode_barrier},
      {"B2R", decode_barrier_result}, {"YIELD", decode_yield},     {"NANOSLEEP", decode_yield},
      {"BPT", decode_trap},           {"KILL", decode_trap},
  };
  return entries;
}

}  // namespace tilescope::sass
