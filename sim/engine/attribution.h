// Counters per static instruction, kept beside the totals of the SMs: what executing an instruction added to the totals
// is charged to it, so the sums over instructions are the totals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/isa/instruction.h"
#include "sim/engine/issue_listener.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

// Of one kernel. Not for use from several threads at once.
class Attribution : public IssueListener {
 public:
  // `code`: Kernel::code(), which outlives this.
  explicit Attribution(std::span<const Instruction> code) : code_(code), instructions_(code.size()) {}

  // REQUIRES: `instruction` lies in the code.
  InstructionCounters& of(const Instruction* instruction) {
    return instructions_[static_cast<std::size_t>(instruction - code_.data())];
  }
  // Executing it took the totals from `before` to `after`.
  void charge(const Instruction* instruction, const WorkCounters& before, const WorkCounters& after);
  void issued(const Issue& issue, const WorkCounters& before, const WorkCounters& after) override {
    charge(&issue.instruction, before, after);
    ++of(&issue.instruction).executed;
  }
  // Shares wavefronts of the data stage out to the barrier instructions, by how often they were executed.
  void charge_barriers(std::uint64_t wavefronts);

  Attribution& operator+=(const Attribution& other);
  // By index in Kernel::code().
  const std::vector<InstructionCounters>& instructions() const { return instructions_; }

 private:
  std::span<const Instruction> code_;
  std::vector<InstructionCounters> instructions_;
};

// A count of a part of the work that is `share` of it, for the whole.
std::uint64_t grown(std::uint64_t count, double share);

// Gives `whole` the stalls of `timed`, which are of a part of the same launch, grown. Sums grow as a total does.
// REQUIRES: equal sizes.
void take_grown_stalls(std::vector<InstructionCounters>& whole, const std::vector<InstructionCounters>& timed,
                       double share);

}  // namespace tilescope
