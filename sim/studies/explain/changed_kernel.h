// A kernel with something changed that the model can apply to what its warps execute, so that a fix is run instead of
// guessed: other registers or shared memory of the launch, CTAs in another order, addresses in shared memory moved, or
// accesses without conflicts and without wasted sectors. Instructions stay as they are: what a change costs in
// instructions is not in its cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/isa/kernel.h"
#include "models/shared_banks.h"

namespace tilescope::explain {

// Where a byte of a CTA's shared memory lies afterwards. Units of the widest access stay whole and aligned.
using SharedMap = std::function<std::uint64_t(std::uint64_t)>;

struct Change {
  std::optional<std::int64_t> registers_per_thread;
  std::int64_t more_shared_bytes = 0;  // of a CTA
  std::int64_t raster_group = 0;       // CTAs in bands of so many rows, each band column by column; 0: as they are
  SharedMap shared_map;                // of all accesses to shared memory; empty: as they are
  // Instructions by index in code(): those whose accesses to shared memory have no conflict, and those whose lanes'
  // words in global memory lie side by side from the lowest address of each access on.
  std::unordered_set<std::size_t> without_conflicts, side_by_side;
  // Loads and stores of shared memory by index in code(), each of which becomes so many (2 or 4) one behind the other:
  // what a compiler makes of rows that are no longer aligned to its wide accesses.
  std::unordered_map<std::size_t, int> in_words;

  // No instruction waits for what loads from global or local memory bring, nor for asynchronous copies and mbarriers.
  // Loads and copies go on, and take what they take of every resource.
  bool without_waits = false;

  bool moves_lanes() const {
    return shared_map || !without_conflicts.empty() || !side_by_side.empty() || !in_words.empty();
  }
};

// The pattern with as few wavefronts as an access of this kind can have: `pattern` itself when it has no conflict.
LanePattern without_conflicts(const SharedBanks& banks, const LanePattern& pattern, SharedOp op, std::uint64_t base);
// Lanes with one address keep one; the distinct ones lie side by side in their order.
LanePattern side_by_side(const LanePattern& pattern);

// Whether the model can move what this kernel's lanes touch: not where asynchronous units read or write shared memory
// by themselves (bulk copies, products of warpgroups). `why_not` gets the sentence.
bool can_move_lanes(const Kernel& kernel, std::string& why_not);

class ChangedKernel : public Kernel {
 public:
  // REQUIRES: `kernel` outlives this; can_move_lanes() where the change moves lanes.
  ChangedKernel(const Kernel& kernel, Change change, const SharedBanks& banks);

  const Launch& launch() const override { return launch_; }
  std::span<const Instruction> code() const override { return code_.empty() ? kernel_.code() : code_; }
  std::int64_t code_bytes() const override { return kernel_.code_bytes(); }
  const PatternTable& patterns() const override { return change_.moves_lanes() ? *own_ : kernel_.patterns(); }
  std::unique_ptr<WarpStream> make_stream() const override;
  InstructionSource source_of(std::size_t instruction) const override;
  std::string source_folder() const override { return kernel_.source_folder(); }
  std::vector<std::string> approximations() const override { return kernel_.approximations(); }

  // The place in the grid whose work the CTA `cta` does.
  std::int64_t place_of(std::int64_t cta) const;

 private:
  class Stream;

  const Kernel& kernel_;
  Change change_;
  SharedBanks banks_;
  Launch launch_;
  std::unique_ptr<PatternTable> own_;  // interned into from any thread
  // With `in_words` or `without_waits`: the instructions, which of the kernel's each is or is a part of, and where the
  // kernel's begin.
  std::vector<Instruction> code_;
  std::vector<std::size_t> origin_, first_;
};

}  // namespace tilescope::explain
