// What the engine knows about one instruction: which pipe it needs, how long the compiler told the warp to wait after
// it, and which scoreboards it sets or waits for. The fields are those that NVIDIA's compiler writes into every
// instruction since Volta, so that compiled code and generated code drive issue in the same way.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilescope {

// The kinds the engine tells apart; the SASS mnemonics that fall into each are examples.
enum class OpClass : std::uint8_t {
  fma,            // FFMA FMUL FADD
  imad,           // IMAD IMAD.MOV IMAD.IADD
  alu,            // IADD3 LOP3 ISETP SEL MOV SHF LEA PRMT FMNMX FSETP
  half,           // HFMA2 HADD2 HMUL2
  fp64,           // DFMA DADD DMUL
  xu,             // MUFU I2F F2I POPC
  tensor,         // HMMA IMMA; `work` says how much
  uniform,        // ULDC UIADD3 UMOV R2UR
  branch,         // BRA BSSY BSYNC CALL RET WARPSYNC
  exit,           // EXIT
  nop,            // NOP
  barrier,        // BAR.SYNC
  dependency,     // DEPBAR, LDGDEPBAR
  membar,         // MEMBAR, ERRBAR, CCTL
  special,        // S2R CS2R S2UR
  constant_load,  // LDC
  shuffle,        // SHFL
  global_load,    // LDG, LD
  global_store,   // STG, ST
  global_atomic,  // ATOMG RED
  shared_load,    // LDS
  shared_store,   // STS
  shared_atomic,  // ATOMS
  matrix_load,    // LDSM: shared load of matrix fragments
  async_copy,     // LDGSTS: global to shared; two operands, global first
  local_load,     // LDL
  local_store,    // STL
  imad_wide,      // IMAD.WIDE: 64-bit result
};
inline constexpr int kOpClasses = static_cast<int>(OpClass::imad_wide) + 1;

std::string_view name(OpClass op);

inline constexpr std::uint8_t kNoScoreboard = 7;
inline constexpr int kScoreboards = 6;

// 16 bytes, shared by all warps that execute it.
struct Instruction {
  OpClass op = OpClass::nop;
  std::uint8_t stall = 1;                         // cycles until this warp may issue its next instruction
  std::uint8_t write_scoreboard = kNoScoreboard;  // released when the result can be read
  std::uint8_t read_scoreboard = kNoScoreboard;   // released when the operands have been read
  std::uint8_t wait_mask = 0;                     // bit s: wait until scoreboard s is free
  std::uint8_t yield = 0;                         // 1: the compiler suggests another warp next
  std::uint8_t register_reads = 0;                // from the even and the odd bank: models/register_banks.h
  std::uint8_t cached = 1;                        // global loads: 0 bypasses L1 (LDG.STRONG, ld.cg, LDGSTS.BYPASS)
  std::uint16_t work = 0;                         // tensor: multiply-adds of the whole warp, in units of 256
  std::uint16_t bar_id = 0;                       // barrier: which of the CTA's 16 barriers
  std::uint32_t line = 0;                         // where it came from: line of the listing, 0 when unknown
};
static_assert(sizeof(Instruction) == 16);

// How many MemoryOperands an instruction takes from its segment: 0, 1, or 2 for async_copy (global, then shared).
constexpr int memory_operands(OpClass op) {
  switch (op) {
    case OpClass::global_load:
    case OpClass::global_store:
    case OpClass::global_atomic:
    case OpClass::shared_load:
    case OpClass::shared_store:
    case OpClass::shared_atomic:
    case OpClass::matrix_load:
    case OpClass::local_load:
    case OpClass::local_store:
      return 1;
    case OpClass::async_copy:
      return 2;
    default:
      return 0;
  }
}

// Goes through the load/store unit; S2R and LDC only share the way to it.
constexpr bool uses_load_store_unit(OpClass op) { return memory_operands(op) > 0 || op == OpClass::shuffle; }

}  // namespace tilescope
