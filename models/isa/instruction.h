// What the engine knows about one instruction: its class, how long the compiler told the warp to wait after it, and
// which scoreboards it sets or waits for. The fields are those that NVIDIA's compiler writes into every instruction
// since Volta, so that compiled code and generated code drive issue in the same way.
#pragma once

#include <cstdint>

#include "models/isa/operation.h"

namespace tilescope {

inline constexpr std::uint8_t kNoScoreboard = 7;
inline constexpr int kScoreboards = 6;

// How far a memory barrier reaches, in `detail`.
enum class Scope : std::uint8_t { cta, gpu, system, cluster_errors };  // the last: CGAERRBAR

// What an instruction of the branch unit does to the warp, in `detail`.
enum class Turn : std::uint8_t {
  jump,   // goes elsewhere, or could
  none,   // goes on: BSSY, BREAK, BMOV, WARPSYNC
  meets,  // BSYNC: goes on when the lanes are together
};

// What an atomic does, as far as its cost depends on it, in `detail`.
enum class AtomicKind : std::uint8_t {
  integer,   // of 32 or 64 bits
  floating,  // FP32, packed halves
  compare,   // compare and swap: brings two values
  count,     // ATOMS.POPC.INC: lanes at one word become one
};

// 16 bytes, shared by all warps that execute it.
struct Instruction {
  OpClass op = OpClass::nop;
  std::uint8_t stall = 1;                         // cycles until this warp may issue its next instruction
  std::uint8_t write_scoreboard = kNoScoreboard;  // released when the result can be read
  std::uint8_t read_scoreboard = kNoScoreboard;   // released when the operands have been read
  std::uint8_t wait_mask = 0;                     // bit s: wait until scoreboard s is free
  std::uint8_t yield : 1 = 0;                     // 1: the compiler suggests another warp next
  std::uint8_t uniform_rows : 2 = 0;              // of four uniform registers, from which arithmetic reads operands
  std::uint8_t register_reads = 0;                // from the even and the odd bank: models/register_banks.h
  std::uint8_t cached = 1;                        // global loads: 0 bypasses L1 (LDG.STRONG, ld.cg, LDGSTS.BYPASS)
  std::uint16_t work = 0;                         // tensor: multiply-adds of 16 bits of the whole warp, in units of 256
  // Barriers: which of the CTA's 16 in bits 0 to 3; of how many warps from bit 4 on, 0: all of the CTA.
  // Branches: Turn. Memory barriers: Scope. Atomics: AtomicKind. Local and generic loads and stores: 32-bit words per
  // lane. Special registers: 1 of the CTA's rank in its cluster.
  // Loads from global memory and asynchronous copies: 1 when L2 fetches the whole line (LDG.LTC128B, ld.L2::128B).
  // Waits for groups of asynchronous copies: the scoreboard that counts them in bits 0 to 2, kNoScoreboard: none; how
  // many it may still count from bit 3 on.
  // Products of a warp: 1 of FP64. Products of a warpgroup: 32-byte rows that they read from shared memory in bits 0 to
  // 9; bit 14: A lies in registers; bit 15: the last one of its group. Waits for groups of products: how many may be
  // under way, and 1; 0: no wait.
  // Waits at an mbarrier: 1 when the warp is held until the phase ends or a time has passed (SYNCS.PHASECHK.TRYWAIT).
  std::uint16_t detail = 0;
  std::uint32_t line : 24 = 0;     // where it came from: line of the listing, 0 when unknown
  std::uint32_t constant : 8 = 0;  // what it reads of the constant banks: models/isa/constant_line.h

  Scope scope() const { return static_cast<Scope>(detail); }
  Turn turn() const { return static_cast<Turn>(detail); }
  AtomicKind atomic() const { return static_cast<AtomicKind>(detail); }
  int barrier() const { return detail & 15; }
  int barrier_warps() const { return detail >> 4; }
  bool whole_line() const { return detail == 1 && (op == OpClass::global_load || op == OpClass::async_copy); }
  std::uint8_t counted_by() const { return detail & 7; }
  int left_out() const { return detail >> 3; }
  // The scoreboard that counts the group of copies which it closes: LDGDEPBAR writes, UTMACMDFLUSH reads.
  std::uint8_t counts_group_by() const { return write_scoreboard < kScoreboards ? write_scoreboard : read_scoreboard; }
  bool reads_cluster_rank() const { return op == OpClass::warp_special && detail == 1; }
  bool multiplies_doubles() const { return op == OpClass::tensor && detail == 1; }
  int rows_read() const { return detail & 0x3ff; }
  bool a_in_registers() const { return (detail & kInRegisters) != 0; }
  bool closes_group() const { return (detail & kClosesGroup) != 0; }
  static constexpr unsigned kInRegisters = 1U << 14U, kClosesGroup = 1U << 15U;
};
static_assert(sizeof(Instruction) == 16);

}  // namespace tilescope
