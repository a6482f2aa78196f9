// Shared-memory banks: how many passes ("wavefronts") one shared-memory instruction takes through the data stage.
//
// 32 banks of 4 B; word w lives in bank w mod 32. The lanes of an instruction are served in phases: all 32 at once for
// accesses of up to 4 B, half-warps for 8 B, quarter-warps for 16 B. A phase takes as many wavefronts as the fullest
// bank has distinct words; a phase with no active lane takes none.
//
// Loads merge phases: if every active lane i has the address of lane i^1 (or that lane is inactive), or every one that
// of lane i^2, over the whole warp, then an 8 B load is one phase of 32 lanes and a 16 B load is two phases of
// half-warps. Stores never. Source: 258 instructions measured on an H200 (tests/data/bank_maps_structured.csv), all
// reproduced exactly.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/lane_pattern.h"

namespace tilescope {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

enum class SharedOp : std::uint8_t { load, store };

struct BankPhase {
  std::uint32_t lanes = 0;  // bit i: lane i is served in this phase
  int wavefronts = 0;
  // Distinct words in each bank, word numbers relative to the base's own word.
  std::array<std::vector<std::int64_t>, kBanks> words;
};

struct BankCost {
  int wavefronts = 0;  // passes through the data stage
  int ideal = 0;       // phases with an active lane: what the instruction would take without conflicts
};

// The count alone. `base` is a byte address; only its word matters, and it only rotates the banks.
BankCost shared_cost(const LanePattern& pattern, SharedOp op);

// The same with the evidence: every phase, its lanes and the words in each bank, for explanations.
std::vector<BankPhase> shared_phases(const LanePattern& pattern, SharedOp op, std::uint64_t base = 0);

}  // namespace tilescope
