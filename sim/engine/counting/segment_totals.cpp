#include "sim/engine/counting/segment_totals.h"

#include <algorithm>
#include <array>

#include "models/tag_stage.h"

namespace tilescope {
namespace {

// One warp on an empty SM: what the compiler's stall counts and scoreboards make of it.
class WarpAlone {
 public:
  WarpAlone(const GpuSpec& gpu, const PipeTable& pipes) : gpu_(gpu), pipes_(pipes) {}

  void issue(const Instruction& instruction, std::int64_t wavefronts) {
    const unsigned needs = instruction.op == OpClass::exit ? instruction.wait_mask | global_ : instruction.wait_mask;
    for (std::size_t s = 0; s < kScoreboards; ++s)
      if ((needs >> s & 1U) != 0) now_ = std::max(now_, free_[s]);
    if ((needs & global_) != 0) slack_ = std::min(slack_, now_);
    global_ &= ~needs;

    const PipeUse& use = pipes_[instruction.op];
    Cycle result = now_ + use.latency;
    if (wavefronts > 0) {
      data_free_ = std::max(data_free_, now_) + wavefronts * gpu_.lsu.wavefront_cycles;
      result = data_free_ - gpu_.lsu.wavefront_cycles + gpu_.shared.latency_cycles;
    } else if (use.pipe == Pipe::lg) {
      result = now_;
      if (instruction.write_scoreboard < kScoreboards) global_ |= 1U << instruction.write_scoreboard;
    }
    if (instruction.write_scoreboard < kScoreboards)
      free_[instruction.write_scoreboard] = std::max(free_[instruction.write_scoreboard], result);
    now_ += std::max<Cycle>(std::max<Cycle>(1, instruction.stall), use.dispatch);
    if (instruction.op == OpClass::barrier) now_ += gpu_.pipes.barrier_cycles;
  }

  Cycle end() const { return now_; }
  Cycle slack() const { return std::min(slack_, now_); }

 private:
  const GpuSpec& gpu_;
  const PipeTable& pipes_;
  std::array<Cycle, kScoreboards> free_{};
  unsigned global_ = 0;  // scoreboards that a load from global memory has set
  Cycle slack_ = kNever;
  Cycle data_free_ = 0;
  Cycle now_ = 0;
};

}  // namespace

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
                        const GpuSpec& gpu) {
  SegmentTotals totals;
  totals.code = segment.code;
  totals.length = segment.length;
  std::array<Cycle, kPipes> pipe_busy{};
  Cycle dispatch = 0;
  Cycle data_stage = 0;
  Cycle tag_stage = 0;
  const auto add_global = [&](const MemoryOperand& global) {
    const Footprint& footprint = patterns.footprint(global.pattern, global.base);
    data_stage += std::max(footprint.data_wavefronts, 1);
    if (!footprint.lines.empty()) tag_stage += tag_cycles(footprint, LineAddress::of(global.base));
  };
  WarpAlone warp(gpu, pipes);
  const MemoryOperand* operand = segment.operands;
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const Instruction& instruction = segment.code[i];
    ++totals.instructions[static_cast<std::size_t>(instruction.op)];
    const PipeUse& use = pipes[instruction.op];
    dispatch += use.dispatch;
    std::int64_t wavefronts = 0;
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
        data_stage += wavefronts = std::max(cost.wavefronts, 1);
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
        data_stage += wavefronts = std::max(cost.wavefronts, 1);
        break;
      }
      case OpClass::global_load:
      case OpClass::local_load:
      case OpClass::async_copy:
        add_global(*operand);
        totals.loads_global = true;
        totals.global.push_back(
            {static_cast<std::uint32_t>(operand - segment.operands), i, true, instruction.cached != 0});
        break;
      case OpClass::global_store:
      case OpClass::local_store:
      case OpClass::global_atomic:
        add_global(*operand);
        totals.global.push_back(
            {static_cast<std::uint32_t>(operand - segment.operands), i, false, instruction.cached != 0});
        break;
      default:
        break;
    }
    warp.issue(instruction, wavefronts);
    operand += memory_operands(instruction.op);
  }
  totals.alone = warp.end();
  totals.slack = warp.slack();
  // Pipes and issue slots exist once per sub-partition, the data stage once per SM.
  pipe_busy[static_cast<std::size_t>(Pipe::none)] = dispatch;
  const Cycle fullest = *std::max_element(pipe_busy.begin(), pipe_busy.end());
  totals.busy =
      std::max((fullest + gpu.sm.sub_partitions - 1) / gpu.sm.sub_partitions, std::max(data_stage, tag_stage));
  return totals;
}

}  // namespace tilescope
