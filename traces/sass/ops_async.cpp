// mbarriers, bulk and tensor copies, stores into other CTAs of the cluster, and its barrier: what async_execution.h
// makes of them.
#include <algorithm>

#include "traces/sass/ops.h"
#include "traces/sass/tensor_descriptor.h"

namespace tilescope::sass {
namespace {

AsyncInstruction& begin(Decoder& d, AsyncKind kind, OpClass op) {
  d.decoded.is_memory = true;
  d.decoded.access.kind = MemoryKind::asynchronous;
  d.decoded.async.kind = kind;
  set_class(d, op);
  return d.decoded.async;
}

// The next operand, a register or an address of one, from which on `words` are read.
RegisterId registers(Decoder& d, int words, std::int64_t* offset = nullptr) {
  const Operand* operand = d.pop();
  if (operand == nullptr) return kRZ;
  RegisterId first = operand->reg;
  if (operand->kind == Operand::Kind::address && operand->terms.size() <= 1) {
    first = operand->terms.empty() ? kURZ : operand->terms[0].reg;
    if (offset != nullptr)
      *offset = operand->value;
    else if (operand->value != 0)
      d.fail("address '" + operand->text + "' with an offset");
  } else if (operand->kind != Operand::Kind::reg) {
    d.fail("operand '" + operand->text + "' should be a register or the address in one");
    return kRZ;
  }
  for (int i = 0; i < words; ++i)
    if (!is_zero(first)) d.decoded.always_uses.push_back(d.after(first, i));
  return first;
}

// desc[UR4]: how L2 shall keep what it fetches. Has no effect.
void take_cache_policy(Decoder& d) {
  if (d.more() && (d.next_is(Operand::Kind::descriptor) || d.peek()->text.starts_with("desc"))) d.pop();
}

void decode_arrival(Decoder& d) {  // SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [R7+UR14], RZ
  AsyncInstruction& async = begin(d, AsyncKind::barrier_arrive, OpClass::mbarrier_arrival);
  struct Form {
    std::string_view name;
    std::int8_t arrivals, bytes;
    bool count_in_register, bytes_in_register;
  };
  // A: arrivals, T: bytes expected; R from a register; TX: bytes that are complete.
  static constexpr Form forms[] = {{"A1T0", 1, 0, false, false}, {"ART0", 1, 0, true, false},
                                   {"A0TR", 0, 1, false, true},  {"A0TX", 0, -1, false, true},
                                   {"A0T1", 0, 1, false, false}, {"A1TR", 1, 1, false, true}};
  const Form* form = &forms[5];
  for (const Form& one : forms)
    if (d.take(one.name)) form = &one;
  async.arrivals = form->arrivals, async.bytes = form->bytes;
  async.count_in_register = form->count_in_register, async.bytes_in_register = form->bytes_in_register;
  async.anywhere = d.take("RED");
  async.drops = d.take("OPTOUT");
  if (d.next_is(Operand::Kind::reg) && is_zero(d.peek()->reg))
    d.pop();
  else
    d.out_wide();
  d.address(d.decoded.access.at, Space::shared, 8, false);
  async.rest = registers(d, 1);
}

void decode_sync_unit(Decoder& d) {
  const bool transactions = d.take("TRANS64");
  if (d.take("EXCH")) {  // SYNCS.EXCH.64 URZ, [UR9+0x8], UR34
    if (!d.take("64")) d.fail("neither .64");
    begin(d, AsyncKind::barrier_set, OpClass::mbarrier_init);
    const Operand* old = d.pop();
    if (old != nullptr && (old->kind != Operand::Kind::reg || !is_zero(old->reg))) d.fail("the old value is asked for");
    d.op().whole_warp = true;
    d.address(d.decoded.access.at, Space::shared, 8, false);
    d.decoded.async.rest = registers(d, 2);
  } else if (d.take("CCTL")) {  // SYNCS.CCTL.IV [UR6]
    d.take("IV");
    begin(d, AsyncKind::barrier_invalidate, OpClass::mbarrier_init);
    d.address(d.decoded.access.at, Space::shared, 8, false);
  } else if (transactions && d.take("ARRIVE")) {
    decode_arrival(d);
  } else if (transactions && d.take("PHASECHK")) {  // SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0
    AsyncInstruction& async = begin(d, AsyncKind::barrier_test, OpClass::mbarrier_wait);
    d.decoded.instruction.detail = d.take("TRYWAIT") ? 1 : 0;
    d.predicate_out(0);
    d.address(d.decoded.access.at, Space::shared, 8, false);
    async.rest = registers(d, 1);
    d.decoded.warp_wide = true;
  } else {
    d.fail("none of EXCH, CCTL, ARRIVE.TRANS64 and PHASECHK.TRANS64");
  }
}

void decode_copies_arrive(Decoder& d) {  // ARRIVES.LDGSTSBAR.64.ARVCNT [UR5]
  AsyncInstruction& async = begin(d, AsyncKind::copies_arrive, OpClass::copy_arrival);
  if (!d.take("LDGSTSBAR") || !d.take("64")) d.fail("other than .LDGSTSBAR.64");
  if (d.take("TRANSCNT"))
    async.bytes = -1;
  else if (d.take("ARVCNT"))
    async.arrivals = 1;
  else
    d.fail("neither .TRANSCNT nor .ARVCNT");
  d.address(d.decoded.access.at, Space::shared, 8, false);
}

template <AsyncKind Kind>
void decode_cluster_store(Decoder& d) {  // STAS [R8.64+0x10], R3: place, mbarrier; REDAS.ADD [R12.64], R2
  AsyncInstruction& async = begin(d, Kind, OpClass::cluster_store);
  if (Kind == AsyncKind::add && !d.take("ADD")) d.fail("an operation other than ADD");
  if (Kind == AsyncKind::store) async.words = d.take("64") ? 2 : d.take("128") ? 4 : 1;
  async.first = registers(d, 2, &async.offset);
  d.in_words(d.op().first_in, async.words, d.decoded.data_uses);
}

// UTMALDG.3D.MULTICAST [UR8], [UR34], UR33, desc[UR44]: place and mbarrier and coordinates, tensor map, CTAs. Stores
// have no mbarrier, prefetches no place either.
template <AsyncKind Kind>
void decode_box(Decoder& d) {
  constexpr bool loads = Kind == AsyncKind::load_box, prefetches = Kind == AsyncKind::prefetch_box;
  AsyncInstruction& async = begin(d, Kind,
                                  loads                          ? OpClass::bulk_load
                                  : prefetches                   ? OpClass::bulk_prefetch
                                  : Kind == AsyncKind::store_box ? OpClass::bulk_store
                                                                 : OpClass::bulk_reduction);
  d.op().whole_warp = true;
  if (prefetches) d.take("L2");
  for (std::uint8_t rank = 1; rank <= 5; ++rank)
    if (d.take(std::string(1, static_cast<char>('0' + rank)) + "D")) async.rank = rank;
  if (async.rank == 0) d.fail("neither .1D nor .2D to .5D");
  async.im2col = d.take("IM2COL");
  async.multicast = loads && d.take("MULTICAST");
  if (Kind == AsyncKind::reduce_box && !d.take("ADD")) d.fail("an operation other than ADD");
  async.first = registers(d, async.rank + (loads ? 2 : prefetches ? 0 : 1));
  async.address = registers(d, 2);
  if (async.multicast || (async.im2col && (loads || prefetches))) async.rest = registers(d, 1);
  take_cache_policy(d);
}

// UBLKCP.S.G.MULTICAST [UR16], [UR6], UR15: place and mbarrier, address, size / 16 and CTAs; UBLKCP.G.S [UR4], [UR8],
// UR9: address, place, size / 16.
void decode_line_copy(Decoder& d) {
  const bool loads =
      d.parsed().modifiers.size() >= 2 && d.parsed().modifiers[0] == "S" && d.parsed().modifiers[1] == "G";
  if (!d.take("S") || !d.take("G")) return d.fail("neither .S.G nor .G.S");
  AsyncInstruction& async =
      begin(d, loads ? AsyncKind::load_line : AsyncKind::store_line, loads ? OpClass::bulk_load : OpClass::bulk_store);
  d.op().whole_warp = true;
  async.multicast = loads && d.take("MULTICAST");
  if (loads) async.first = registers(d, 2);
  async.address = registers(d, 2);
  if (!loads) async.first = registers(d, 1);
  async.rest = registers(d, 1);
  take_cache_policy(d);
}

void decode_line_reduction(Decoder& d) {  // UBLKRED.G.S.ADD.F16.RN [UR4], [UR7], UR6
  if (!d.take("G") || !d.take("S") || !d.take("ADD")) return d.fail("other than .G.S.ADD");
  AsyncInstruction& async = begin(d, AsyncKind::reduce_line, OpClass::bulk_reduction);
  d.op().whole_warp = true;
  d.op().flags = static_cast<std::uint32_t>(TensorDescriptor::Type::u32);
  using Type = TensorDescriptor::Type;
  static constexpr std::pair<std::string_view, Type> types[] = {
      {"S32", Type::i32},   {"64", Type::u64},  {"U64", Type::u64}, {"F16", Type::f16},
      {"BF16", Type::bf16}, {"F32", Type::f32}, {"F64", Type::f64}};
  for (const auto& [name, type] : types)
    if (d.take(name)) d.op().flags = static_cast<std::uint32_t>(type);
  d.take("RN");
  async.address = registers(d, 2);
  async.first = registers(d, 1);
  async.rest = registers(d, 1);
  take_cache_policy(d);
}

void decode_line_prefetch(Decoder& d) {  // UBLKPF.L2 [UR4], UR8
  d.take("L2");
  AsyncInstruction& async = begin(d, AsyncKind::prefetch_line, OpClass::bulk_prefetch);
  d.op().whole_warp = true;
  async.address = registers(d, 2);
  async.rest = registers(d, 1);
  take_cache_policy(d);
}

void decode_group_end(Decoder& d) { set_class(d, OpClass::bulk_commit); }  // UTMACMDFLUSH

void decode_map_control(Decoder& d) {  // UTMACCTL.PF [UR14], UTMACCTL.IV [UR4]
  d.take("PF");
  d.decoded.takes_new_maps = d.take("IV");
  while (d.more()) d.pop();
  set_class(d, OpClass::tensor_map);
}

template <bool Waits>
void decode_cluster_barrier(Decoder& d) {
  d.decoded.flow = Waits ? Flow::cluster_wait : Flow::cluster_arrive;
  set_class(d, Waits ? OpClass::cluster_barrier : OpClass::cluster_arrival);
}

}  // namespace

std::span<const OpEntry> async_ops() {
  static constexpr OpEntry entries[] = {
      {"SYNCS", decode_sync_unit},
      {"ARRIVES", decode_copies_arrive},
      {"STAS", decode_cluster_store<AsyncKind::store>},
      {"REDAS", decode_cluster_store<AsyncKind::add>},
      {"UTMALDG", decode_box<AsyncKind::load_box>},
      {"UTMASTG", decode_box<AsyncKind::store_box>},
      {"UTMAREDG", decode_box<AsyncKind::reduce_box>},
      {"UTMAPF", decode_box<AsyncKind::prefetch_box>},
      {"UBLKCP", decode_line_copy},
      {"UBLKRED", decode_line_reduction},
      {"UBLKPF", decode_line_prefetch},
      {"UTMACMDFLUSH", decode_group_end},
      {"UTMACCTL", decode_map_control},
      {"UCGABAR_ARV", decode_cluster_barrier<false>},
      {"UCGABAR_WAIT", decode_cluster_barrier<true>},
  };
  return entries;
}

}  // namespace tilescope::sass
