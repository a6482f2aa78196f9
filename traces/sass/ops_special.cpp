// Special registers, constant memory, moves between the vector and the uniform register file.
#include <bit>

#include "traces/sass/address_windows.h"
#include "traces/sass/lanes.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

enum class Special : std::uint8_t {
  zero,
  tid_x,
  tid_y,
  tid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  lane,
  warp,
  mask_eq,
  mask_lt,
  mask_le,
  mask_gt,
  mask_ge,
  clock_low,
  clock_high,
  shared_window,
  local_window,
  one,
  thirty_two,
  cluster_rank,
  cluster_size
};

struct Name {
  std::string_view name;
  Special special;
};
// Places on the chip (SM, physical warp) are those of an idle machine: 0.
constexpr Name kNames[] = {
    {"SRZ", Special::zero},
    {"SR_TID.X", Special::tid_x},
    {"SR_TID.Y", Special::tid_y},
    {"SR_TID.Z", Special::tid_z},
    {"SR_CTAID.X", Special::ctaid_x},
    {"SR_CTAID.Y", Special::ctaid_y},
    {"SR_CTAID.Z", Special::ctaid_z},
    {"SR_NTID.X", Special::ntid_x},
    {"SR_NTID.Y", Special::ntid_y},
    {"SR_NTID.Z", Special::ntid_z},
    {"SR_NCTAID.X", Special::nctaid_x},
    {"SR_NCTAID.Y", Special::nctaid_y},
    {"SR_NCTAID.Z", Special::nctaid_z},
    {"SR_LANEID", Special::lane},
    {"SR_WARPID", Special::warp},
    {"SR_VIRTID", Special::zero},
    {"SR_SMID", Special::zero},
    {"SR_VIRTUALSMID", Special::zero},
    {"SR_GRIDID", Special::zero},
    {"SR_GRIDIDLO", Special::zero},
    {"SR_NSMID", Special::one},
    {"SR_NWARPID", Special::thirty_two},
    {"SR_EQMASK", Special::mask_eq},
    {"SR_LTMASK", Special::mask_lt},
    {"SR_LEMASK", Special::mask_le},
    {"SR_GTMASK", Special::mask_gt},
    {"SR_GEMASK", Special::mask_ge},
    {"SR_CLOCKLO", Special::clock_low},
    {"SR_CLOCKHI", Special::clock_high},
    {"SR_GLOBALTIMERLO", Special::clock_low},
    {"SR_GLOBALTIMERHI", Special::clock_high},
    {"SR_SWINHI", Special::shared_window},
    {"SR_LMEMHIOFF", Special::local_window},
    {"SR_LWINHI", Special::local_window},
    {"SR_CgaCtaId", Special::cluster_rank},
    {"SR_CgaSize", Special::cluster_size},
    {"SR_CirQueueIncrMinusOne", Special::zero},
};

Word special_value(const WarpState& warp, Special which, Word lane) {
  const LaunchState& launch = *warp.launch;
  const auto thread = static_cast<std::int64_t>(warp.warp) * kLanes + lane;
  const Word below = (Word{1} << lane) - 1, own = Word{1} << lane;
  const auto word = [](std::int64_t value) { return static_cast<Word>(value); };
  switch (which) {
    case Special::tid_x:
      return word(thread % launch.block.x);
    case Special::tid_y:
      return word(thread / launch.block.x % launch.block.y);
    case Special::tid_z:
      return word(thread / (launch.block.x * launch.block.y));
    case Special::ctaid_x:
      return word(warp.cta.x);
    case Special::ctaid_y:
      return word(warp.cta.y);
    case Special::ctaid_z:
      return word(warp.cta.z);
    case Special::ntid_x:
      return word(launch.block.x);
    case Special::ntid_y:
      return word(launch.block.y);
    case Special::ntid_z:
      return word(launch.block.z);
    case Special::nctaid_x:
      return word(launch.grid.x);
    case Special::nctaid_y:
      return word(launch.grid.y);
    case Special::nctaid_z:
      return word(launch.grid.z);
    case Special::lane:
      return lane;
    case Special::warp:
      return static_cast<Word>(warp.warp);
    case Special::mask_eq:
      return own;
    case Special::mask_lt:
      return below;
    case Special::mask_le:
      return below | own;
    case Special::mask_gt:
      return ~(below | own);
    case Special::mask_ge:
      return ~below;
    case Special::clock_low:
      return static_cast<Word>(warp.executed);
    case Special::clock_high:
      return static_cast<Word>(warp.executed >> 32U);
    case Special::shared_window:
      return static_cast<Word>(kSharedWindow >> 32U);
    case Special::local_window:
      return static_cast<Word>(kLocalWindow >> 32U);
    case Special::one:
      return 1;
    case Special::thirty_two:
      return 32;
    case Special::cluster_rank:
      return warp.rank;
    case Special::cluster_size:
      return word(launch.cluster.count());
    default:
      return 0;
  }
}

// flags: which; flags2: 1 also into the next register (a 64-bit special register)
void read_special(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray result;
  for (Word l = 0; l < kLanes; ++l) result[l] = special_value(warp, static_cast<Special>(op.flags), l);
  merge(output(warp, op.out), result, mask);
  if (op.flags2 == 0) return;
  const bool clock = static_cast<Special>(op.flags) == Special::clock_low;
  for (Word l = 0; l < kLanes; ++l) result[l] = clock ? special_value(warp, Special::clock_high, l) : 0;
  merge(output(warp, op.out_high), result, mask);
}

void copy(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  merge(output(warp, op.out), lanes_at(warp, op.in[0].low), mask);
  merge(output(warp, op.out_high), lanes_at(warp, op.in[1].low), mask);
}

// Constant memory at an address in a register. flags: bank; flags2: bytes, 256 added when sign-extended; in[1]: offset
void read_constant(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  LaneArray sa, low{}, high{};
  const LaneArray& a = load(warp, op.in[0], sa);
  const LaneArray& offset = lanes_at(warp, op.in[1].low);
  const auto bank = warp.launch->constants.find(static_cast<int>(op.flags));
  const Word bytes = op.flags2 & 255U;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Word at = a[l] + offset[l];
    Wide value = 0;
    for (Word byte = 0; byte < bytes; ++byte)
      if (bank != warp.launch->constants.end() && Wide{at} + byte < bank->second.size())
        value |= Wide{bank->second[at + byte]} << (8 * byte);
    if ((op.flags2 & 256U) != 0) {
      const auto up = static_cast<std::int64_t>(value << (64 - 8 * bytes));
      value = static_cast<Wide>(up >> (64 - 8 * bytes));
    }
    low[l] = static_cast<Word>(value);
    high[l] = static_cast<Word>(value >> 32U);
  }
  merge(output(warp, op.out), low, mask);
  if (bytes == 8) merge(output(warp, op.out_high), high, mask);
}

// A uniform register from the first lane that is active.
void to_uniform(WarpState& warp, const MicroOp& op, std::uint32_t) {
  const std::uint32_t from = predicate(warp, {op.guard, op.guard_inverted}) & warp.active;
  if (from == 0) return;
  output(warp, op.out).fill(lanes_at(warp, op.in[0].low)[static_cast<std::size_t>(std::countr_zero(from))]);
  set_predicate(warp, op.predicate_out[0], kAllLanes, kAllLanes);
}

// Such a register is read through the load/store unit: smsp__inst_executed_pipe_lsu counts S2R of SR_TID, not of
// SR_CTAID, nor S2UR (gpu/measured/h200/gemm_train.csv).
bool differs_between_lanes(Special which) {
  switch (which) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
    case Special::lane:
    case Special::mask_eq:
    case Special::mask_lt:
    case Special::mask_le:
    case Special::mask_gt:
    case Special::mask_ge:
      return true;
    default:
      return false;
  }
}

void decode_special(Decoder& d) {  // S2R R0, SR_TID.X; CS2R R0, SRZ (two registers unless .32)
  const bool both = d.parsed().opcode == "CS2R" && !d.take("32");
  if (both) {
    d.take("64");
    d.out_wide();
  } else {
    d.out();
  }
  const Operand* from = d.pop();
  if (from == nullptr) return;
  bool known = false, of_lanes = false;
  for (const Name& name : kNames) {
    if (name.name != from->text) continue;
    known = true;
    of_lanes = differs_between_lanes(name.special);
    d.op().flags = static_cast<Word>(name.special);
  }
  if (!known) d.fail("special register " + from->text);
  d.op().flags2 = both ? 1 : 0;
  d.decoded.special_register = from->text != "SRZ";
  d.op().run = read_special;
  set_class(d, d.parsed().opcode == "CS2R" ? OpClass::alu : of_lanes ? OpClass::special : OpClass::warp_special);
  if (from->text == "SR_CgaCtaId") d.decoded.instruction.detail = 1;
}

void decode_code_address(Decoder& d) {  // LEPC R20, target; LEPC R20: its own address
  d.out_wide();
  if (d.more())
    d.target();
  else
    d.decoded.target = d.here();
  d.decoded.has_target = false;
  const std::uint64_t address = kCodeAddress + d.decoded.target;
  d.in_constant(0, static_cast<Word>(address));
  d.in_constant(1, static_cast<Word>(address >> 32U));
  d.op().run = copy;
  set_math_class(d, OpClass::alu);
}

void decode_constant_load(Decoder& d) {  // LDC.64 R0, c[0x0][R4+0x10]
  int bytes = 4;
  bool is_signed = false;
  for (const auto& [name, size] : {std::pair{"64", 8}, {"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}})
    if (d.take(name)) bytes = size, is_signed = name[0] == 'S';
  if (bytes == 8)
    d.out_wide();
  else
    d.out();
  const Operand* from = d.pop();
  if (from == nullptr) return;
  if (from->kind != Operand::Kind::constant || from->terms.size() > 1)
    return d.fail("operand '" + from->text + "' should be a place in constant memory");
  if (!from->terms.empty()) {
    d.op().in[0].low = from->terms[0].reg;
    d.use(from->terms[0].reg);
  }
  d.in_constant(1, static_cast<Word>(from->value));
  d.check_constant_bank(from->bank);
  d.op().flags = static_cast<Word>(from->bank);
  d.op().flags2 = static_cast<Word>(bytes) | (is_signed ? 256U : 0U);
  d.op().run = read_constant;
  if (from->terms.empty() && bytes >= 4) {  // known now
    d.op().in[0] = d.constant_source(from->bank, from->value);
    if (bytes == 8) d.op().in[1] = d.constant_source(from->bank, from->value + 4);
    d.op().run = copy;
  }
  set_move_class(d, OpClass::constant_load);
}

void decode_to_uniform(Decoder& d) {  // R2UR [P0,] UR4, R0
  d.take("FILL"), d.take("OR");
  if (d.next_is(Operand::Kind::predicate)) d.predicate_out(0);
  d.out();
  d.in(0);
  if (d.op().in[0].modifiers != 0) d.fail("a source modifier");
  d.op().run = to_uniform;
  set_class(d, OpClass::alu);
}

}  // namespace

std::span<const OpEntry> special_ops() {
  static constexpr OpEntry entries[] = {
      {"S2R", decode_special},       {"S2UR", decode_special},       {"CS2R", decode_special},
      {"LDC", decode_constant_load}, {"ULDC", decode_constant_load}, {"LDCU", decode_constant_load},
      {"R2UR", decode_to_uniform},   {"LEPC", decode_code_address},  {"ULEPC", decode_code_address},
  };
  return entries;
}

}  // namespace tilescope::sass
