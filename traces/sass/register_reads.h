// Which register banks an instruction's operands come from (Instruction::register_reads).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/register_banks.h"
#include "traces/sass/operand.h"
#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {

// What a warp finds in the reuse cache, instruction after instruction of a listing. The cache holds one register for
// each operand position and bank: the last that an instruction read there, if the compiler marked it .reuse. An
// instruction that names a register twice reads it once. Source: as models/register_banks.h.
class ReuseCache {
 public:
  // What the sources of `one` read from the banks, as register_reads() packs it. RZ and uniform registers are read from
  // neither.
  std::uint8_t reads_of(const ParsedInstruction& one);

 private:
  static constexpr std::size_t kPositions = 4;
  using Turns = std::array<std::array<int, kRegisterBanks>, kPositions>;

  std::array<std::array<RegisterId, kRegisterBanks>, kPositions> held_ = nothing();
  // The how manieth register of its bank the last instruction read there; 0: none.
  Turns turns_{};

  static constexpr std::array<std::array<RegisterId, kRegisterBanks>, kPositions> nothing() {
    std::array<std::array<RegisterId, kRegisterBanks>, kPositions> all{};
    for (auto& position : all) position.fill(kRZ);
    return all;
  }
};

// Of a load or store: its only register that is no half of a pair and the bank of which matters, the 32-bit address of
// a load or the data of a store through a 64-bit one, packed as one read; 0: none.
std::uint8_t single_read(const ParsedInstruction& one);

// Uniform registers are read in rows of four: from how many of these rows `one` has source operands, 3 at most.
std::uint8_t uniform_rows(const ParsedInstruction& one);

}  // namespace tilescope::sass
