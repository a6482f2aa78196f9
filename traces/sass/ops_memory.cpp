// Loads, stores, asynchronous copies and matrix loads: which addresses they take, and what they move where values
// matter.
#include <cstring>
#include <utility>

#include "traces/sass/address_windows.h"
#include "traces/sass/atomic_ops.h"
#include "traces/sass/lanes.h"
#include "traces/sass/memory_access.h"
#include "traces/sass/ops.h"

namespace tilescope::sass {
namespace {

// flags: bytes, 256 added when the last of them may be zeros. Lanes whose predicate is false write zeros.
void run_async_copy(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t copies = predicate(warp, op.predicate_in[0]);
  const std::size_t bytes = op.flags & 255U;
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (!has_lane(mask, static_cast<int>(l))) continue;
    std::uint8_t* to = warp.memory->shared_to_write(static_cast<std::uint32_t>(warp.to[l]), bytes);
    if (to == nullptr) continue;
    const bool copied = has_lane(copies, static_cast<int>(l));
    const std::size_t zeros = !copied ? bytes : (op.flags & 256U) != 0 ? warp.zeros[l] : 0;
    if (copied) std::memcpy(to, warp.memory->global(warp.address[l], bytes), bytes - zeros);
    std::memset(to + bytes - zeros, 0, zeros);
  }
}

// LDSM and STSM: matrices of 8 x 8 halves. Lane 8 i + r has the address of row r of matrix i; register i of lane l
// holds two neighbours of matrix i: row l/4, columns 2(l%4) and the next; transposed, the other way round. flags:
// matrices, 256 added when transposed
using Matrix = std::array<std::array<std::uint16_t, 8>, 8>;

// The halves that lane `l` holds.
template <class M>
auto pair_of(M& matrix, std::size_t l, bool transposed) {
  const std::size_t group = l / 4, pair = l % 4 * 2;
  return transposed ? std::pair(&matrix[pair][group], &matrix[pair + 1][group])
                    : std::pair(&matrix[group][pair], &matrix[group][pair + 1]);
}

void run_matrix_load(WarpState& warp, const MicroOp& op, std::uint32_t) {
  for (std::size_t m = 0; m < (op.flags & 255U); ++m) {
    Matrix matrix{};
    for (std::size_t row = 0; row < 8; ++row)
      std::memcpy(matrix[row].data(), warp.memory->shared(static_cast<std::uint32_t>(warp.address[8 * m + row]), 16),
                  16);
    LaneArray& to = written_register(warp, following(op.first_out, static_cast<int>(m)));
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto [low, high] = pair_of(matrix, l, (op.flags & 256U) != 0);
      to[l] = *low | Word{*high} << 16U;
    }
  }
}

void run_matrix_store(WarpState& warp, const MicroOp& op, std::uint32_t) {
  for (std::size_t m = 0; m < (op.flags & 255U); ++m) {
    Matrix matrix{};
    const LaneArray& from = read_register(warp, following(op.first_in, static_cast<int>(m)));
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto [low, high] = pair_of(matrix, l, (op.flags & 256U) != 0);
      *low = static_cast<std::uint16_t>(from[l]);
      *high = static_cast<std::uint16_t>(from[l] >> 16U);
    }
    for (std::size_t row = 0; row < 8; ++row)
      if (std::uint8_t* to = warp.memory->shared_to_write(static_cast<std::uint32_t>(warp.address[8 * m + row]), 16))
        std::memcpy(to, matrix[row].data(), 16);
  }
}

// QSPC: whether an address lies in a window. flags: 0 global, 1 shared, 2 local, 3 distributed shared
void run_query_space(WarpState& warp, const MicroOp& op, std::uint32_t mask) {
  WideLanes at;
  load_wide(warp, op.in[0], at);
  std::uint32_t inside = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const bool shared = in_window(at.lane[l], kSharedWindow), local = in_window(at.lane[l], kLocalWindow);
    const bool truth = op.flags == 0 ? !shared && !local : op.flags == 1 ? shared : op.flags == 2 ? local : false;
    inside |= static_cast<std::uint32_t>(truth) << l;
  }
  set_predicate(warp, op.predicate_out[0], inside, mask);
}

struct Width {
  int bytes = 4;
  bool is_signed = false;
};

Width take_width(Decoder& d) {
  struct Name {
    std::string_view name;
    Width width;
  };
  static constexpr Name names[] = {{"128", {16, false}}, {"64", {8, false}}, {"U8", {1, false}}, {"S8", {1, true}},
                                   {"U16", {2, false}},  {"S16", {2, true}}, {"8", {1, false}},  {"16", {2, false}}};
  for (const Name& name : names)
    if (d.take(name.name)) return name.width;
  return {};
}

struct Hints {
  bool uncached = false;    // makes a load bypass L1
  bool whole_line = false;  // makes L2 fetch the whole line
};

Hints take_hints(Decoder& d) {
  bool strong = false;
  for (const std::string_view order : {"STRONG", "MMIO"}) strong = d.take(order) || strong;
  bool cta = false;
  for (const std::string_view scope : {"GPU", "SYS", "VC", "SM", "CTA"}) {
    if (!d.take(scope)) continue;
    cta = scope == "CTA" || scope == "SM";
  }
  // Device memory is read in 64 bytes anyway; of 256, the other line is left out.
  const bool whole_line = d.take("LTC128B") || d.take("LTC256B");
  for (const std::string_view hint : {"WEAK", "EF", "EL", "EN", "EU", "LU", "NA", "PRIVATE", "LTC64B", "U"})
    d.take(hint);
  return {strong && !cta, whole_line};
}

OpClass class_of(Space space, bool load) {
  switch (space) {
    case Space::shared:
      return load ? OpClass::shared_load : OpClass::shared_store;
    case Space::local:
      return load ? OpClass::local_load : OpClass::local_store;
    case Space::generic:
      return load ? OpClass::generic_load : OpClass::generic_store;
    case Space::global:
      break;
  }
  return load ? OpClass::global_load : OpClass::global_store;
}

OpClass class_of_atomic(Space space, bool reduction) {
  if (space == Space::shared) return OpClass::shared_atomic;
  if (space == Space::generic) return reduction ? OpClass::generic_reduction : OpClass::generic_atomic;
  return reduction ? OpClass::global_reduction : OpClass::global_atomic;
}

// Local memory is laid out in words: an access of several takes a request for each.
void set_words(Decoder& d, Space space, int bytes) {
  if (space == Space::local || space == Space::generic)
    d.decoded.instruction.detail = static_cast<std::uint16_t>(bytes > 4 ? bytes / 4 : 1);
}

template <Space S>
void decode_load(Decoder& d) {
  const bool extended = d.take("E");
  const bool constant = d.take("CONSTANT");
  const Width width = take_width(d);
  const Hints hints = take_hints(d);
  if (d.next_is(Operand::Kind::predicate)) d.pop();  // LDG can say here whether lanes are in bounds of a descriptor
  d.out_words(width.bytes > 4 ? width.bytes / 4 : 1);
  MemoryAccess& access = d.decoded.access;
  d.decoded.is_memory = true;
  access.kind = MemoryKind::load;
  access.coherent = !constant;
  d.address(access.at, S, width.bytes, extended);
  if (d.more() && d.next_is(Operand::Kind::predicate) && is_true(d.peek()->reg)) d.pop();
  d.op().flags = static_cast<Word>(width.bytes) | (width.is_signed ? 256U : 0U);
  d.op().run = load_lanes;
  set_class(d, class_of(S, true));
  set_words(d, S, width.bytes);
  d.decoded.instruction.cached = hints.uncached ? 0 : 1;
  if (S == Space::global) d.decoded.instruction.detail = hints.whole_line ? 1 : 0;
}

template <Space S>
void decode_store(Decoder& d) {
  const bool extended = d.take("E");
  const Width width = take_width(d);
  take_hints(d);
  MemoryAccess& access = d.decoded.access;
  d.decoded.is_memory = true;
  access.kind = MemoryKind::store;
  d.address(access.at, S, width.bytes, extended);
  d.in_words(d.op().first_in, width.bytes > 4 ? width.bytes / 4 : 1, d.decoded.data_uses);
  d.op().flags = static_cast<Word>(width.bytes);
  d.op().run = store_lanes;
  set_class(d, class_of(S, false));
  set_words(d, S, width.bytes);
}

void decode_async_copy(Decoder& d) {  // LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64], P0
  const bool extended = d.take("E");
  const bool bypass = d.take("BYPASS");
  d.take("ACCESS");
  MemoryAccess& access = d.decoded.access;
  access.zero_fill = d.take("ZFILL");
  const Width width = take_width(d);
  const Hints hints = take_hints(d);
  d.decoded.is_memory = true;
  access.kind = MemoryKind::async_copy;
  d.address(access.to, Space::shared, width.bytes, false);
  d.address(access.at, Space::global, width.bytes, extended);
  if (d.more()) {
    d.predicate_in(0);
    auto& decoded = d.decoded;
    decoded.always_uses.insert(decoded.always_uses.end(), decoded.uses.begin(), decoded.uses.end());
    decoded.uses.clear();
  }
  access.predicate = d.op().predicate_in[0];
  d.op().flags = static_cast<Word>(width.bytes) | (access.zero_fill ? 256U : 0U);
  d.op().run = run_async_copy;
  set_class(d, OpClass::async_copy);
  d.decoded.instruction.cached = bypass ? 0 : 1;
  d.decoded.instruction.detail = hints.whole_line ? 1 : 0;
}

template <bool Store>
void decode_matrix(Decoder& d) {  // LDSM.16.MT88.4 R4, [R2]
  if (!d.take("16")) d.fail("an element size other than 16");
  const bool transposed = d.take("MT88");
  if (!transposed && !d.take("M88")) d.fail("neither .M88 nor .MT88");
  const int matrices = d.take("4") ? 4 : d.take("2") ? 2 : 1;
  d.take("1");
  MemoryAccess& access = d.decoded.access;
  d.decoded.is_memory = true;
  d.decoded.warp_wide = true;
  access.kind = Store ? MemoryKind::matrix_store : MemoryKind::matrix_load;
  if (!Store) d.out_words(matrices);
  d.address(access.at, Space::shared, 16, false);
  if (Store) d.in_words(d.op().first_in, matrices, d.decoded.data_uses);
  d.op().flags = static_cast<Word>(matrices) | (transposed ? 256U : 0U);
  d.op().run = Store ? run_matrix_store : run_matrix_load;
  set_class(d, Store ? OpClass::matrix_store : OpClass::matrix_load);
}

void decode_query_space(Decoder& d) {  // QSPC.E.S P0, RZ, [R4]
  d.take("E");
  d.op().flags = d.take("S") ? 1U : d.take("L") ? 2U : d.take("D") ? 3U : 0U;
  d.take("G");
  d.predicate_out(0);
  d.pop();
  AddressRule rule;
  d.address(rule, Space::generic, 1, true);
  d.op().in[0].low = rule.low;
  d.op().in[0].high = rule.high;
  if (rule.offset != 0 || !is_zero(static_cast<RegisterId>(rule.uniform_low))) d.fail("QSPC with an offset");
  auto& decoded = d.decoded;
  decoded.uses.insert(decoded.uses.end(), decoded.always_uses.begin(), decoded.always_uses.end());
  decoded.always_uses.clear();
  d.op().run = run_query_space;
  set_class(d, OpClass::alu);
}

template <Space S>
void decode_atomic(Decoder& d) {  // ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R2.64], R5
  const bool reduction = d.parsed().opcode == "RED" || d.parsed().opcode == "REDG" || d.parsed().opcode == "REDS";
  const bool extended = d.take("E");
  const AtomicRule rule = take_atomic_rule(d);
  take_hints(d);
  MemoryAccess& access = d.decoded.access;
  d.decoded.is_memory = true;
  access.kind = reduction ? MemoryKind::reduction : MemoryKind::atomic;
  const int words = rule.bytes > 4 ? rule.bytes / 4 : 1;
  if (!reduction) {
    if (d.next_is(Operand::Kind::predicate)) d.predicate_out(0);
    d.out_words(rule.op == AtomicRule::Op::compare_tell ? 1 : words);
    if (d.op().first_out >= kUR0) d.fail("an atomic with a uniform result");
  }
  d.address(access.at, S, rule.bytes, extended);
  if (rule.operands >= 1) d.in_words(d.op().first_in, words, d.decoded.data_uses);
  if (rule.operands >= 2) d.in_words(d.op().tensor_in[0], words, d.decoded.data_uses);
  d.op().flags = rule.encoded();
  d.op().run = run_atomic;
  // An atomic reads its operand also when only its result matters.
  d.decoded.uses.insert(d.decoded.uses.end(), d.decoded.data_uses.begin(), d.decoded.data_uses.end());
  set_class(d, class_of_atomic(S, reduction));
  const bool floating = rule.as != AtomicRule::As::whole && rule.as != AtomicRule::As::whole_signed;
  using Op = AtomicRule::Op;
  const AtomicKind kind = rule.op == Op::compare || rule.op == Op::compare_tell ? AtomicKind::compare
                          : rule.op == Op::count                                ? AtomicKind::count
                          : floating                                            ? AtomicKind::floating
                                                                                : AtomicKind::integer;
  d.decoded.instruction.detail = static_cast<std::uint16_t>(kind);
}

}  // namespace

std::span<const OpEntry> memory_ops() {
  static constexpr OpEntry entries[] = {
      {"LDG", decode_load<Space::global>},     {"LD", decode_load<Space::generic>},
      {"LDS", decode_load<Space::shared>},     {"LDL", decode_load<Space::local>},
      {"STG", decode_store<Space::global>},    {"ST", decode_store<Space::generic>},
      {"STS", decode_store<Space::shared>},    {"STL", decode_store<Space::local>},
      {"LDGSTS", decode_async_copy},           {"LDSM", decode_matrix<false>},
      {"STSM", decode_matrix<true>},           {"QSPC", decode_query_space},
      {"ATOMG", decode_atomic<Space::global>}, {"ATOM", decode_atomic<Space::generic>},
      {"ATOMS", decode_atomic<Space::shared>}, {"RED", decode_atomic<Space::generic>},
      {"REDG", decode_atomic<Space::global>},  {"REDS", decode_atomic<Space::shared>},
  };
  return entries;
}

}  // namespace tilescope::sass
