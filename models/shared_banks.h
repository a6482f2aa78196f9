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

#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/instruction.h"
#include "models/isa/lane_pattern.h"

namespace tilescope {

enum class SharedOp : std::uint8_t { load, store };

struct BankPhase {
  std::uint32_t lanes = 0;  // bit i: lane i is served in this phase
  int wavefronts = 0;
  // By bank: its distinct words, numbered from address 0, in the order of the lanes.
  std::vector<std::vector<std::int64_t>> words;
};

struct BankCost {
  int wavefronts = 0;  // passes through the data stage
  int ideal = 0;       // phases with an active lane: what the instruction would take without conflicts
  int joined = 0;      // registers of a load that a pass fills beside another one: words that lanes have in common
};

class SharedBanks {
 public:
  static constexpr int kMostBanks = 64;

  SharedBanks() : SharedBanks(32, 4) {}  // every GPU since Maxwell
  // REQUIRES: powers of two, at most kMostBanks banks of 4 or 8 bytes.
  SharedBanks(int banks, int bytes) : banks_(banks), bytes_(bytes) {}
  explicit SharedBanks(const SharedSpec& spec)
      : SharedBanks(static_cast<int>(spec.banks), static_cast<int>(spec.bank_bytes)) {}

  int banks() const { return banks_; }
  int bytes() const { return bytes_; }

  // The count alone. `base`: byte address; of it only the place in its word matters, whole words only rotate the banks.
  BankCost cost(const LanePattern& pattern, SharedOp op, std::uint64_t base = 0) const;
  // An atomic's: as many wavefronts as the bank with most lanes has lanes, whatever their words, unless `merges`
  // (ATOMS.POPC.INC). Compare-and-swap takes twice as many, of 8 bytes over two half-warps and at least four.
  // Source: 60 launches on an H200, docs/memory-spaces.md.
  BankCost atomic_cost(const LanePattern& pattern, AtomicKind kind) const;
  // The same with the evidence: every phase, its lanes and the words in each bank, for explanations.
  std::vector<BankPhase> phases(const LanePattern& pattern, SharedOp op, std::uint64_t base = 0) const;

 private:
  int lanes_per_phase(const LanePattern& pattern, SharedOp op) const;

  int banks_, bytes_;
};

}  // namespace tilescope
