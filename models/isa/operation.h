// The one table of what each class of instruction is and does: its pipe, the memory it reads or writes, the operands
// it brings, whether the compiler knows its latency, the counter it counts in, and what of it is not modelled. Both
// engines, the published metrics, the trace format, the generators and the SASS front end ask here.
//
// A new kind of instruction is a row of this table. The order of the classes is part of the trace format:
// new ones go to the end.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilescope {

// The kinds the engine tells apart; the SASS mnemonics that fall into each are examples.
enum class OpClass : std::uint8_t {
  fma,                // FFMA FMUL FADD
  imad,               // IMAD IMAD.MOV IMAD.IADD
  alu,                // IADD3 LOP3 ISETP SEL MOV SHF LEA PRMT FMNMX FSETP CS2R
  half,               // HFMA2 HADD2 HMUL2
  fp64,               // DFMA DADD DMUL
  xu,                 // MUFU I2F F2I POPC
  tensor,             // HMMA IMMA DMMA; `work` says how much
  uniform,            // UIADD3 UIMAD ULEA
  branch,             // BRA CALL RET
  exit,               // EXIT
  nop,                // NOP
  barrier,            // BAR.SYNC, BAR.RED: of all warps of the CTA or, with a count, of some
  dependency,         // hints that order nothing modelled: PREEXIT, ACQBULK
  membar,             // MEMBAR; `scope` says how far
  special,            // S2R of what lanes have each: SR_TID, SR_LANEID
  constant_load,      // LDC
  shuffle,            // SHFL
  global_load,        // LDG
  global_store,       // STG
  global_atomic,      // ATOMG: returns the old value
  shared_load,        // LDS
  shared_store,       // STS
  shared_atomic,      // ATOMS
  matrix_load,        // LDSM: shared load of matrix fragments
  async_copy,         // LDGSTS: global to shared; two operands, global first
  local_load,         // LDL
  local_store,        // STL
  imad_wide,          // IMAD.WIDE: 64-bit result
  global_reduction,   // RED, REDG: an atomic without result
  generic_load,       // LD: each lane in global, shared or local memory; three operands, in this order
  generic_store,      // ST
  generic_atomic,     // ATOM
  generic_reduction,  // RED through a generic address
  matrix_store,       // STSM
  barrier_arrival,    // BAR.ARV: counts at a barrier, does not wait
  partial_barrier,    // BAR.SYNC, BAR.ARV with a guard, or with registers for barrier or count: an AsyncOperand says it
  cache_control,      // CCTL.IVALL: drops all global lines from L1
  error_barrier,      // ERRBAR: its time is in that of the MEMBAR in front of it
  async_commit,       // LDGDEPBAR: closes a group of asynchronous copies
  async_wait,         // DEPBAR: waits until a scoreboard counts at most some groups of asynchronous copies
  group_tensor,       // HGMMA IGMMA QGMMA: four warps, operands in shared memory
  group_wait,         // WARPGROUP
  fence,              // FENCE.VIEW
  prefetch,           // CCTL.PF1, CCTL.PF2: a global load without result
  cache_hint,         // CCTL of one line: written back, invalidated
  mbarrier_init,      // SYNCS.EXCH, SYNCS.CCTL: from here to cluster_store, AsyncOperands say what it does
  mbarrier_arrival,   // SYNCS.ARRIVE: arrivals, and bytes that are expected or complete
  mbarrier_wait,      // SYNCS.PHASECHK
  copy_arrival,       // ARRIVES.LDGSTSBAR: arrives when the warp's asynchronous copies have landed
  bulk_load,          // UTMALDG, UBLKCP.S.G: global to shared, completes bytes on an mbarrier
  bulk_store,         // UTMASTG, UBLKCP.G.S: shared to global
  bulk_reduction,     // UTMAREDG, UBLKRED: the same, added up in L2
  bulk_prefetch,      // UTMAPF, UBLKPF: into L2
  cluster_store,      // STAS, REDAS: into another CTA's shared memory, completes bytes on an mbarrier
  bulk_commit,        // UTMACMDFLUSH: closes a group of bulk stores
  tensor_map,         // UTMACCTL: a tensor map is fetched or forgotten
  cluster_arrival,    // UCGABAR_ARV
  cluster_barrier,    // UCGABAR_WAIT
  shared_release,     // USETSHMSZ: a CTA gives shared memory back before it ends
  warp_special,       // S2UR, S2R of what a warp's lanes share: SR_CTAID
  convergence,        // BSSY BSYNC BREAK WARPSYNC: lanes that part and meet; Turn
  half_tensor,        // HFMA2.MMA: two halves, on the pipe of FP64
  uniform_move,       // ULDC UMOV VOTEU: into uniform registers, not through their datapath
};
inline constexpr int kOpClasses = static_cast<int>(OpClass::uniform_move) + 1;

// The execution pipes of a sub-partition. mio and lg are the two ways to the units that the sub-partitions share.
enum class Pipe : std::uint8_t { none, fma, imad, alu, half, fp64, xu, tensor, uniform, mio, lg };
inline constexpr int kPipes = static_cast<int>(Pipe::lg) + 1;

// What an access to memory counts as: space and operation, as Nsight Compute groups them.
enum class AccessKind : std::uint8_t {
  none,
  global_load,
  global_store,
  global_atomic,
  global_reduction,
  prefetch,
  local_load,
  local_store,
  shared_load,
  shared_store,
  shared_atomic,
  async_store,  // shared memory's side of an asynchronous copy
};
inline constexpr int kAccesses = static_cast<int>(AccessKind::async_store) + 1;

constexpr bool is_shared(AccessKind access) { return access >= AccessKind::shared_load; }
constexpr bool is_local(AccessKind access) {
  return access == AccessKind::local_load || access == AccessKind::local_store;
}
// Through the L1's tags: global and local memory.
constexpr bool is_lines(AccessKind access) { return access != AccessKind::none && !is_shared(access); }
constexpr bool is_load(AccessKind access) {
  return access == AccessKind::global_load || access == AccessKind::prefetch || access == AccessKind::local_load ||
         access == AccessKind::shared_load;
}
constexpr bool is_atomic(AccessKind access) {
  return access == AccessKind::global_atomic || access == AccessKind::global_reduction;
}

// What an instruction makes its warp, or memory, wait for.
enum class Order : std::uint8_t {
  none,
  barrier,          // other warps of the CTA
  fence,            // what the warp has asked for and stored
  invalidation,     // drops what L1 holds
  copy_group,       // closes a group of asynchronous copies
  copies,           // groups of asynchronous copies
  products,         // groups of products of its warpgroup
  cluster_arrival,  // counts at the barrier of its cluster
  cluster,          // other warps of the cluster
};

struct OperationTraits {
  OpClass op = OpClass::nop;
  std::string_view name;
  Pipe pipe = Pipe::none;
  // The accesses it makes, one MemoryOperand each, in order; a lane takes part in at most one of each space.
  std::array<AccessKind, 3> accesses{};
  // Until a dependent instruction may issue, as the compiler counts it, in cycles; 0: it waits by a scoreboard.
  std::uint8_t fixed_latency = 4;
  // The X of smsp__inst_executed_op_X and of smsp__inst_executed_pipe_X; empty: none.
  std::string_view op_counter;
  std::string_view pipe_counter;
  Order order = Order::none;
  // What the engine leaves out, as an answer says it behind the count of executed instructions; empty: nothing.
  std::string_view not_modelled;
};

// clang-format off
inline constexpr std::array<OperationTraits, kOpClasses> kOperations = {{
    {OpClass::fma, "fma", Pipe::fma, {}, 4, "", "fma", Order::none, ""},
    {OpClass::imad, "imad", Pipe::imad, {}, 4, "", "fma", Order::none, ""},
    {OpClass::alu, "alu", Pipe::alu, {}, 4, "", "alu", Order::none, ""},
    {OpClass::half, "half", Pipe::half, {}, 5, "", "fp16", Order::none, ""},
    {OpClass::fp64, "fp64", Pipe::fp64, {}, 0, "", "fp64", Order::none, ""},
    {OpClass::xu, "xu", Pipe::xu, {}, 0, "", "xu", Order::none, ""},
    {OpClass::tensor, "tensor", Pipe::tensor, {}, 15, "", "tensor", Order::none, ""},
    {OpClass::uniform, "uniform", Pipe::uniform, {}, 6, "", "uniform", Order::none, ""},
    {OpClass::branch, "branch", Pipe::none, {}, 4, "", "", Order::none, ""},
    {OpClass::exit, "exit", Pipe::none, {}, 4, "", "cbu", Order::none, ""},
    {OpClass::nop, "nop", Pipe::none, {}, 4, "", "", Order::none, ""},
    {OpClass::barrier, "barrier", Pipe::none, {}, 4, "", "adu", Order::barrier, ""},
    {OpClass::dependency, "dependency", Pipe::none, {}, 4, "", "", Order::none, "hints of dependent launches take no time"},
    {OpClass::membar, "membar", Pipe::none, {}, 4, "", "", Order::fence, ""},
    {OpClass::special, "special", Pipe::mio, {}, 0, "", "lsu", Order::none, ""},
    {OpClass::constant_load, "constant_load", Pipe::mio, {}, 0, "", "adu", Order::none, ""},
    {OpClass::shuffle, "shuffle", Pipe::mio, {}, 0, "", "lsu", Order::none, ""},
    {OpClass::global_load, "global_load", Pipe::lg, {AccessKind::global_load}, 0, "global_ld", "lsu", Order::none, ""},
    {OpClass::global_store, "global_store", Pipe::lg, {AccessKind::global_store}, 0, "global_st", "lsu", Order::none, ""},
    {OpClass::global_atomic, "global_atomic", Pipe::lg, {AccessKind::global_atomic}, 0, "global_atom", "lsu", Order::none, ""},
    {OpClass::shared_load, "shared_load", Pipe::mio, {AccessKind::shared_load}, 0, "shared_ld", "lsu", Order::none, ""},
    {OpClass::shared_store, "shared_store", Pipe::mio, {AccessKind::shared_store}, 0, "shared_st", "lsu", Order::none, ""},
    {OpClass::shared_atomic, "shared_atomic", Pipe::mio, {AccessKind::shared_atomic}, 0, "shared_atom", "lsu", Order::none, ""},
    {OpClass::matrix_load, "matrix_load", Pipe::mio, {AccessKind::shared_load}, 0, "ldsm", "lsu", Order::none, ""},
    {OpClass::async_copy, "async_copy", Pipe::lg, {AccessKind::global_load, AccessKind::async_store}, 0, "ldgsts", "lsu", Order::none, ""},
    {OpClass::local_load, "local_load", Pipe::lg, {AccessKind::local_load}, 0, "local_ld", "lsu", Order::none, ""},
    {OpClass::local_store, "local_store", Pipe::lg, {AccessKind::local_store}, 0, "local_st", "lsu", Order::none, ""},
    {OpClass::imad_wide, "imad_wide", Pipe::imad, {}, 4, "", "fma", Order::none, ""},
    {OpClass::global_reduction, "global_reduction", Pipe::lg, {AccessKind::global_reduction}, 0, "global_red", "lsu", Order::none, ""},
    {OpClass::generic_load, "generic_load", Pipe::lg, {AccessKind::global_load, AccessKind::shared_load, AccessKind::local_load}, 0, "generic_ld", "lsu", Order::none, ""},
    {OpClass::generic_store, "generic_store", Pipe::lg, {AccessKind::global_store, AccessKind::shared_store, AccessKind::local_store}, 0, "generic_st", "lsu", Order::none, ""},
    {OpClass::generic_atomic, "generic_atomic", Pipe::lg, {AccessKind::global_atomic, AccessKind::shared_atomic, AccessKind::local_store}, 0, "generic_atom", "lsu", Order::none, ""},
    {OpClass::generic_reduction, "generic_reduction", Pipe::lg, {AccessKind::global_reduction, AccessKind::shared_atomic, AccessKind::local_store}, 0, "generic_red", "lsu", Order::none, ""},
    {OpClass::matrix_store, "matrix_store", Pipe::mio, {AccessKind::shared_store}, 0, "shared_stsm", "lsu", Order::none, ""},
    {OpClass::barrier_arrival, "barrier_arrival", Pipe::none, {}, 4, "", "adu", Order::barrier, ""},
    {OpClass::partial_barrier, "partial_barrier", Pipe::none, {}, 4, "", "adu", Order::barrier, ""},
    {OpClass::cache_control, "cache_control", Pipe::none, {}, 4, "", "", Order::invalidation, ""},
    {OpClass::error_barrier, "error_barrier", Pipe::none, {}, 4, "", "", Order::none, ""},
    {OpClass::async_commit, "async_commit", Pipe::none, {}, 4, "", "lsu", Order::copy_group, ""},
    {OpClass::async_wait, "async_wait", Pipe::none, {}, 4, "", "", Order::copies, ""},
    {OpClass::group_tensor, "group_tensor", Pipe::tensor, {}, 15, "", "tensor", Order::none, ""},
    {OpClass::group_wait, "group_wait", Pipe::none, {}, 4, "", "", Order::products, ""},
    {OpClass::fence, "fence", Pipe::mio, {}, 0, "", "", Order::none, ""},
    {OpClass::prefetch, "prefetch", Pipe::lg, {AccessKind::prefetch}, 0, "", "lsu", Order::none, ""},
    {OpClass::cache_hint, "cache_hint", Pipe::none, {}, 4, "", "", Order::none, "cache control of single lines has no effect"},
    {OpClass::mbarrier_init, "mbarrier_init", Pipe::mio, {}, 0, "", "", Order::none, ""},
    {OpClass::mbarrier_arrival, "mbarrier_arrival", Pipe::mio, {}, 0, "", "", Order::none, ""},
    {OpClass::mbarrier_wait, "mbarrier_wait", Pipe::mio, {}, 0, "", "", Order::none, "waits at mbarriers are executed once, however long they take"},
    {OpClass::copy_arrival, "copy_arrival", Pipe::mio, {}, 0, "", "", Order::none, ""},
    {OpClass::bulk_load, "bulk_load", Pipe::mio, {}, 0, "", "uniform", Order::none, ""},
    {OpClass::bulk_store, "bulk_store", Pipe::mio, {}, 0, "", "uniform", Order::none, ""},
    {OpClass::bulk_reduction, "bulk_reduction", Pipe::mio, {}, 0, "", "uniform", Order::none, ""},
    {OpClass::bulk_prefetch, "bulk_prefetch", Pipe::mio, {}, 0, "", "uniform", Order::none, ""},
    {OpClass::cluster_store, "cluster_store", Pipe::mio, {}, 0, "", "", Order::none, ""},
    {OpClass::bulk_commit, "bulk_commit", Pipe::none, {}, 4, "", "", Order::copy_group, ""},
    {OpClass::tensor_map, "tensor_map", Pipe::none, {}, 4, "", "", Order::none, "tensor maps are at hand at once"},
    {OpClass::cluster_arrival, "cluster_arrival", Pipe::none, {}, 4, "", "", Order::cluster_arrival, ""},
    {OpClass::cluster_barrier, "cluster_barrier", Pipe::none, {}, 4, "", "", Order::cluster, ""},
    {OpClass::shared_release, "shared_release", Pipe::uniform, {}, 6, "", "uniform", Order::none, "shared memory that is given back early stays with its CTA"},
    {OpClass::warp_special, "warp_special", Pipe::mio, {}, 0, "", "adu", Order::none, ""},
    {OpClass::convergence, "convergence", Pipe::none, {}, 4, "", "cbu", Order::none, ""},
    {OpClass::half_tensor, "half_tensor", Pipe::fp64, {}, 5, "", "tensor", Order::none, ""},
    {OpClass::uniform_move, "uniform_move", Pipe::none, {}, 6, "", "", Order::none, ""},
}};
// clang-format on

namespace operation_detail {
// What hot code asks for, small enough to stay near.
struct Hot {
  std::array<AccessKind, 3> accesses{};
  std::uint8_t operands = 0;
  bool load_store_unit = false;
  Order order = Order::none;
};
constexpr std::array<Hot, kOpClasses> hot_table() {
  std::array<Hot, kOpClasses> table{};
  for (const OperationTraits& row : kOperations) {
    Hot& hot = table[static_cast<std::size_t>(row.op)];
    hot.accesses = row.accesses;
    for (const AccessKind access : row.accesses) hot.operands += access != AccessKind::none ? 1 : 0;
    hot.load_store_unit = row.pipe_counter == "lsu" && row.pipe != Pipe::none;
    hot.order = row.order;
  }
  return table;
}
inline constexpr std::array<Hot, kOpClasses> kHot = hot_table();
constexpr bool in_order() {
  for (std::size_t i = 0; i < kOperations.size(); ++i)
    if (static_cast<std::size_t>(kOperations[i].op) != i) return false;
  return true;
}
static_assert(in_order(), "a row of kOperations stands at another class's place");
constexpr const Hot& hot(OpClass op) { return kHot[static_cast<std::size_t>(op)]; }
}  // namespace operation_detail

constexpr const OperationTraits& traits(OpClass op) { return kOperations[static_cast<std::size_t>(op)]; }
constexpr std::string_view name(OpClass op) { return traits(op).name; }
// An instruction of which Turn says more.
constexpr bool is_turn(OpClass op) { return op == OpClass::branch || op == OpClass::convergence; }

// How many MemoryOperands an instruction takes from its segment.
constexpr int memory_operands(OpClass op) { return operation_detail::hot(op).operands; }
// Of operand `index`. REQUIRES: index < memory_operands(op).
constexpr AccessKind access_of(OpClass op, int index) {
  return operation_detail::hot(op).accesses[static_cast<std::size_t>(index)];
}
// Goes through the load/store unit; LDC and S2UR only share the way to it.
constexpr bool uses_load_store_unit(OpClass op) { return operation_detail::hot(op).load_store_unit; }
// It is for an asynchronous unit, and takes AsyncOperands from its segment.
constexpr bool is_asynchronous(OpClass op) { return op >= OpClass::mbarrier_init && op <= OpClass::cluster_store; }
// It takes AsyncOperands from its segment.
constexpr bool takes_async_operands(OpClass op) { return is_asynchronous(op) || op == OpClass::partial_barrier; }
constexpr Order order_of(OpClass op) { return operation_detail::hot(op).order; }
// Its lanes may lie in several spaces.
constexpr bool is_generic(OpClass op) { return memory_operands(op) == 3; }

}  // namespace tilescope
