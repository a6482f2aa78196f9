#include "sim/engine/segment_totals.h"

#include <algorithm>

namespace tilescope {

void SegmentTotals::add_to(SmCounters& counters, std::uint64_t times) const {
  for (std::size_t i = 0; i < instructions.size(); ++i) counters.instructions[i] += instructions[i] * times;
  counters.shared_load_wavefronts += shared_load_wavefronts * times;
  counters.shared_load_ideal += shared_load_ideal * times;
  counters.shared_store_wavefronts += shared_store_wavefronts * times;
  counters.shared_store_ideal += shared_store_ideal * times;
  counters.data_wavefronts += (shared_load_wavefronts + shared_store_wavefronts + shared_nothing) * times;
}

void SegmentTotals::add_to(Attribution& attribution, std::uint64_t times) const {
  for (std::uint32_t i = 0; i < length; ++i) attribution.of(code + i).executed += times;
  for (const SharedAccess& access : shared) {
    InstructionCounters& counters = attribution.of(code + access.position);
    (access.is_load ? counters.shared_load_wavefronts : counters.shared_store_wavefronts) += access.wavefronts * times;
    (access.is_load ? counters.shared_load_ideal : counters.shared_store_ideal) += access.ideal * times;
    counters.data_wavefronts += std::max(access.wavefronts, 1U) * times;
  }
}

SegmentTotals totals_of(const Segment& segment, const PatternTable& patterns, const PipeTable& pipes,
                        std::int64_t sub_partitions) {
  SegmentTotals totals;
  totals.code = segment.code;
  totals.length = segment.length;
  std::array<Cycle, kPipes> pipe_busy{};
  Cycle dispatch = 0;
  Cycle data_stage = 0;
  const MemoryOperand* operand = segment.operands;
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const Instruction& instruction = segment.code[i];
    ++totals.instructions[static_cast<std::size_t>(instruction.op)];
    const PipeUse& use = pipes[instruction.op];
    dispatch += use.dispatch;
    pipe_busy[static_cast<std::size_t>(use.pipe)] +=
        use.pipe == Pipe::tensor ? pipes.tensor_interval(instruction.work) : use.interval;
    switch (instruction.op) {
      case OpClass::shared_load:
      case OpClass::matrix_load: {
        const BankCost& cost = patterns.shared_cost(operand->pattern, SharedOp::load);
        totals.shared_load_wavefronts += static_cast<std::uint32_t>(cost.wavefronts);
        totals.shared_load_ideal += static_cast<std::uint32_t>(cost.ideal);
        if (cost.wavefronts == 0) ++totals.shared_nothing;
        totals.shared.push_back(
            {i, true, static_cast<std::uint32_t>(cost.wavefronts), static_cast<std::uint32_t>(cost.ideal)});
        data_stage += std::max(cost.wavefronts, 1);
        break;
      }
      case OpClass::shared_store:
      case OpClass::shared_atomic: {
        const BankCost& cost = patterns.shared_cost(operand->pattern, SharedOp::store);
        totals.shared_store_wavefronts += static_cast<std::uint32_t>(cost.wavefronts);
        totals.shared_store_ideal += static_cast<std::uint32_t>(cost.ideal);
        if (cost.wavefronts == 0) ++totals.shared_nothing;
        totals.shared.push_back(
            {i, false, static_cast<std::uint32_t>(cost.wavefronts), static_cast<std::uint32_t>(cost.ideal)});
        data_stage += std::max(cost.wavefronts, 1);
        break;
      }
      case OpClass::global_load:
      case OpClass::local_load:
      case OpClass::async_copy:
        totals.loads_global = true;
        totals.global.push_back(
            {static_cast<std::uint32_t>(operand - segment.operands), i, true, instruction.cached != 0});
        break;
      case OpClass::global_store:
      case OpClass::local_store:
      case OpClass::global_atomic:
        totals.global.push_back(
            {static_cast<std::uint32_t>(operand - segment.operands), i, false, instruction.cached != 0});
        break;
      default:
        break;
    }
    operand += memory_operands(instruction.op);
  }
  // Pipes and issue slots exist once per sub-partition, the data stage once per SM.
  pipe_busy[static_cast<std::size_t>(Pipe::none)] = dispatch;
  const Cycle fullest = *std::max_element(pipe_busy.begin(), pipe_busy.end());
  totals.busy = std::max((fullest + sub_partitions - 1) / sub_partitions, data_stage);
  return totals;
}

}  // namespace tilescope
