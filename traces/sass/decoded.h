// What the kernel builder knows about one instruction: how to execute it, where control goes, what it reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"
#include "traces/sass/micro_op.h"

namespace tilescope::sass {

enum class Flow : std::uint8_t {
  next,    // goes on
  branch,  // to `target`
  call,    // to `target`; the return address is in a register already
  jump,  // to the address in `target_register` (RET, BRX) plus `target`, or to the 64-bit code address in two registers
  exit,
  trap,            // BPT.TRAP: ends the warp's lanes
  open,            // BSSY: the running lanes will meet at BSYNC
  meet,            // BSYNC
  leave,           // BREAK: lanes will not come to BSYNC
  gather,          // WARPSYNC with a mask: lanes of the mask meet here
  refused,         // cannot be executed; to hold it is no error, to reach it is
  barrier,         // BAR.SYNC, BAR.RED: the CTA meets
  arrive,          // BAR.ARV
  yield,           // other lanes of the warp may go first
  save,            // BMOV R, B: a convergence barrier is put away around a call
  restore,         // BMOV B, R
  cluster_arrive,  // UCGABAR_ARV
  cluster_wait,    // UCGABAR_WAIT: the cluster meets
};

enum class Space : std::uint8_t { global, shared, local, generic };

// Where an access lies: sum of up to two registers and a constant.
struct AddressRule {
  Space space = Space::global;
  std::int32_t low = kRZ, high = kRZ;  // vector part, 64-bit when `wide`; registers, later slots
  std::int32_t uniform_low = kRZ, uniform_high = kRZ;
  bool wide = false, uniform_wide = false;
  std::uint8_t shift = 0;  // [R4.X16]: 4
  std::uint8_t bytes = 4;  // per lane
  std::int64_t offset = 0;
};

enum class MemoryKind : std::uint8_t {
  load,
  store,
  atomic,
  reduction,
  async_copy,
  matrix_load,
  matrix_store,
  asynchronous,  // AsyncInstruction says what
};

// What an instruction makes an asynchronous unit do, in shared memory or between it and global memory.
enum class AsyncKind : std::uint8_t {
  none,
  barrier_set,         // SYNCS.EXCH: an mbarrier begins
  barrier_invalidate,  // SYNCS.CCTL.IV
  barrier_arrive,      // SYNCS.ARRIVE
  barrier_test,        // SYNCS.PHASECHK
  copies_arrive,       // ARRIVES.LDGSTSBAR
  store,               // STAS
  add,                 // REDAS
  load_box,            // UTMALDG
  store_box,           // UTMASTG
  reduce_box,          // UTMAREDG
  prefetch_box,        // UTMAPF
  load_line,           // UBLKCP.S.G
  store_line,          // UBLKCP.G.S
  reduce_line,         // UBLKRED
  prefetch_line,       // UBLKPF
};

struct AsyncInstruction {
  AsyncKind kind = AsyncKind::none;
  // Registers: where the copy begins (place in shared memory, mbarrier or coordinates), the address of the tensor map
  // or of global memory, and what else it takes (size, im2col offsets, CTAs).
  RegisterId first = kRZ, address = kRZ, rest = kRZ;
  std::int64_t offset = 0;  // added to the first register
  bool multicast = false, im2col = false;
  std::uint8_t rank = 0;   // of the tensor
  std::uint8_t words = 1;  // STAS: of 32 bits
  // mbarriers: arrivals and bytes, as numbers or (negative) times what the register `rest` holds.
  bool count_in_register = false, bytes_in_register = false;
  std::int8_t arrivals = 0, bytes = 0;
  bool anywhere = false;  // the CTA that the address names, else the own one
  bool drops = false;
};

struct MemoryAccess {
  MemoryKind kind = MemoryKind::load;
  AddressRule at;             // of an async copy: the global side
  AddressRule to;             // of an async copy: the shared side
  PredicateSource predicate;  // of an async copy: lanes that copy
  bool zero_fill = false;
  bool coherent = true;  // false: LDG.CONSTANT, no store of the launch can reach it
  bool writes() const {
    return kind != MemoryKind::load && kind != MemoryKind::matrix_load && kind != MemoryKind::asynchronous;
  }
  bool reads() const {
    return kind != MemoryKind::store && kind != MemoryKind::reduction && kind != MemoryKind::matrix_store &&
           kind != MemoryKind::asynchronous;
  }
};

// What an instruction that is no memory instruction takes its registers for (value_use.h).
struct ValueUse {
  bool floating = false;    // floating-point numbers, all of them
  std::uint8_t passed = 0;  // else, bit i: the result holds MicroOp::in[i], or a part of it; the others: whole numbers
};

struct Decoded {
  MicroOp op;
  Instruction instruction;
  Flow flow = Flow::next;
  std::uint32_t target = 0;  // byte, from the kernel's first instruction
  bool has_target = false;
  bool elsewhere = false;  // the target is another function of the file, or one outside
  bool absolute = false;   // a jump to a code address (linked_code.h)
  RegisterId target_register = kRZ;
  PredicateSource condition;     // a branch's own, besides the guard
  std::uint8_t convergence = 0;  // B register
  std::int64_t sync_mask = -1;   // gather: an immediate mask, or -1 for in[0]
  bool returns = false;          // a jump back from a call
  bool is_memory = false;
  MemoryAccess access;
  AsyncInstruction async;
  ValueUse takes;
  std::vector<RegisterId> defines;      // whole registers and predicates
  std::vector<RegisterId> uses;         // needed when a definition is needed
  std::vector<RegisterId> always_uses;  // addresses, branch conditions, guards of both
  std::vector<RegisterId> data_uses;    // stored values: needed when somebody needs what memory holds
  bool warp_wide = false;               // reads other lanes: the guard's lanes matter too
  bool barrier_result = false;          // BAR.RED, B2R: needs the CTA's warps together
  bool special_register = false;        // reads one that may change
  bool product = false;                 // of matrices, by one warp; its values can be computed
  bool values_missing = false;          // its results can not be computed here, only its place and addresses
  bool takes_new_maps = false;          // UTMACCTL.IV: tensor maps that the launch itself has written come into force

  // Moves bytes from shared to global memory, or into shared memory.
  bool stores_box() const {
    return async.kind == AsyncKind::store_box || async.kind == AsyncKind::reduce_box ||
           async.kind == AsyncKind::store_line || async.kind == AsyncKind::reduce_line;
  }
  bool reads_map() const { return async.kind >= AsyncKind::load_box && async.kind <= AsyncKind::prefetch_box; }
  bool loads_box() const { return async.kind == AsyncKind::load_box || async.kind == AsyncKind::load_line; }
  bool stores_into_cluster() const { return async.kind == AsyncKind::store || async.kind == AsyncKind::add; }
};

}  // namespace tilescope::sass
