#include "sim/engine/attribution.h"

#include <cmath>

namespace tilescope {

void Attribution::charge(const Instruction* instruction, const WorkCounters& before, const WorkCounters& after) {
  of(instruction).add_growth(before, after, memory_operands(instruction->op) != 0);
}

void Attribution::charge_barriers(std::uint64_t wavefronts) {
  const auto is_barrier = [](OpClass op) { return op == OpClass::barrier || op == OpClass::partial_barrier; };
  std::uint64_t executed = 0;
  for (std::size_t i = 0; i < code_.size(); ++i)
    if (is_barrier(code_[i].op)) executed += instructions_[i].executed;
  // Rounding is carried along, so that nothing is lost.
  std::uint64_t passed = 0, given = 0;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (!is_barrier(code_[i].op) || instructions_[i].executed == 0) continue;
    passed += instructions_[i].executed;
    const auto until = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(wavefronts) * static_cast<double>(passed) / static_cast<double>(executed)));
    instructions_[i].data_wavefronts += until - given;
    given = until;
  }
}

Attribution& Attribution::operator+=(const Attribution& other) {
  for (std::size_t i = 0; i < instructions_.size(); ++i) instructions_[i] += other.instructions_[i];
  return *this;
}

std::uint64_t grown(std::uint64_t count, double share) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) / share));
}

void take_grown_stalls(std::vector<InstructionCounters>& whole, const std::vector<InstructionCounters>& timed,
                       double share) {
  for (std::size_t stall = 0; stall < static_cast<std::size_t>(kStalls); ++stall) {
    std::uint64_t sum = 0, given = 0;  // rounding is carried along
    for (std::size_t i = 0; i < whole.size(); ++i) {
      sum += timed[i].stall_cycles[stall];
      const std::uint64_t until = grown(sum, share);
      whole[i].stall_cycles[stall] = until - given;
      given = until;
    }
  }
}

}  // namespace tilescope
