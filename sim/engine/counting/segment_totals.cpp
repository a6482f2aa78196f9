#include "sim/engine/counting/segment_totals.h"

#include <algorithm>
#include <array>

#include "models/fence_unit.h"

namespace tilescope {
namespace {

// One warp on an empty SM: what the compiler's stall counts and scoreboards make of it.
class WarpAlone {
 public:
  WarpAlone(const GpuSpec& gpu, const PipeTable& pipes) : gpu_(gpu), pipes_(pipes) {}

  void issue(const Instruction& instruction, std::int64_t wavefronts) {
    const unsigned needs = needs_of(instruction);
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
    if (instruction.op == OpClass::async_copy) copies_ = true;
    if (order_of(instruction.op) == Order::copy_group) close_group(instruction.write_scoreboard);
    if (instruction.write_scoreboard < kScoreboards)
      free_[instruction.write_scoreboard] = std::max(free_[instruction.write_scoreboard], result);
    now_ += std::max<Cycle>(std::max<Cycle>(1, instruction.stall), use.dispatch);
    if (order_of(instruction.op) == Order::barrier) now_ += gpu_.pipes.barrier_cycles;
    if (order_of(instruction.op) == Order::fence) now_ += FenceUnit(gpu_.fences).pass(0, instruction.scope());
  }

  // When an access to lines that is issued now has a way to the load/store unit.
  Cycle enters(AccessKind access) {
    entry_ = std::max(entry_, static_cast<double>(now_));
    const auto when = static_cast<Cycle>(entry_);
    entry_ += is_local(access) ? static_cast<double>(gpu_.lsu.issue_cycles) : gpu_.lsu.wide_issue_cycles;
    return when;
  }
  Cycle end() const { return now_; }
  Cycle slack() const { return std::min(slack_, now_); }

 private:
  // Scoreboards that must be free.
  unsigned needs_of(const Instruction& instruction) const {
    if (instruction.op == OpClass::exit) return instruction.wait_mask | global_;
    const bool waits = order_of(instruction.op) == Order::copies && instruction.counted_by() < kScoreboards;
    // Groups that may be left out are the newest: those of the segment, unless they are more.
    const bool needs_own = instruction.left_out() == 0 || groups_ > instruction.left_out();
    return instruction.wait_mask | (waits && needs_own ? 1U << instruction.counted_by() : 0U);
  }
  void close_group(std::uint8_t scoreboard) {
    groups_ += groups_ > 0 || copies_ ? 1 : 0;  // from the first that has copies on
    if (copies_ && scoreboard < kScoreboards) global_ |= 1U << scoreboard;
    copies_ = false;
  }

  const GpuSpec& gpu_;
  const PipeTable& pipes_;
  std::array<Cycle, kScoreboards> free_{};
  unsigned global_ = 0;  // scoreboards that a load from global memory has set
  bool copies_ = false;  // since the last group of asynchronous copies was closed
  int groups_ = 0;       // of asynchronous copies, closed
  Cycle slack_ = kNever;
  Cycle data_free_ = 0;
  Cycle now_ = 0;
  double entry_ = 0;  // the next access to lines does not enter the load/store unit before
};

// A shared-memory access with every lane off takes a data wavefront, too.
template <class Counters>
void add(const SharedAccess& one, Counters& counters, std::uint64_t times) {
  AccessCounters& own = counters.of(one.access);
  if (one.wavefronts != 0) own.requests += times;
  own.wavefronts += one.wavefronts * times;
  own.ideal += one.ideal * times;
  if (one.access != AccessKind::async_store) counters.data_wavefronts += std::max(one.wavefronts, 1U) * times;
}

std::uint64_t rows_of(const Instruction& instruction) {
  return instruction.op == OpClass::group_tensor ? static_cast<std::uint64_t>(instruction.rows_read()) : 0;
}

}  // namespace

void SegmentTotals::add_to(SmCounters& counters, std::uint64_t times) const {
  for (std::size_t i = 0; i < instructions.size(); ++i) counters.instructions[i] += instructions[i] * times;
  for (const SharedAccess& one : shared) add(one, counters, times);
  counters.operand_rows += operand_rows * times;
}

void SegmentTotals::add_to(Attribution& attribution, std::uint64_t times) const {
  for (std::uint32_t i = 0; i < length; ++i) {
    attribution.of(code + i).executed += times;
    attribution.of(code + i).operand_rows += rows_of(code[i]) * times;
  }
  for (const SharedAccess& one : shared) add(one, attribution.of(code + one.position), times);
}

SegmentTotals totals_of(const Segment& segment, const AccessCosts& costs, const PipeTable& pipes, const GpuSpec& gpu) {
  SegmentTotals totals;
  totals.code = segment.code;
  totals.length = segment.length;
  std::array<Cycle, kPipes> pipe_busy{};
  Cycle dispatch = 0;
  Cycle data_stage = 0;
  Cycle tag_stage = 0;
  WarpAlone warp(gpu, pipes);
  const MemoryOperand* operand = segment.operands;
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const Instruction& instruction = segment.code[i];
    ++totals.instructions[static_cast<std::size_t>(instruction.op)];
    totals.operand_rows += rows_of(instruction);
    const PipeUse& use = pipes[instruction.op];
    dispatch += use.dispatch;
    pipe_busy[static_cast<std::size_t>(use.pipe)] +=
        use.pipe == Pipe::tensor ? pipes.tensor_interval(instruction) : use.interval;
    const int accesses = memory_operands(instruction.op);
    const bool only_shared = accesses == 1 && is_shared(access_of(instruction.op, 0));
    std::int64_t shared_wavefronts = 0;
    std::int64_t wavefronts = 0;
    for (int n = 0; n < accesses; ++n, ++operand) {
      const AccessKind access = access_of(instruction.op, n);
      const AccessCost cost = costs.of(instruction, n, *operand);
      if (is_shared(access)) {
        if (access != AccessKind::async_store) wavefronts += cost.wavefronts;
        if (access != AccessKind::async_store) shared_wavefronts += cost.wavefronts;
        if (cost.wavefronts != 0 || only_shared)
          totals.shared.push_back(
              {i, access, static_cast<std::uint32_t>(cost.wavefronts), static_cast<std::uint32_t>(cost.ideal)});
      } else {
        totals.lines.push_back(
            {static_cast<std::uint32_t>(operand - segment.operands), i, access, n == 0, warp.enters(access)});
        totals.loads_lines = totals.loads_lines || is_load(access) || access == AccessKind::global_atomic;
        wavefronts += cost.wavefronts;
        tag_stage += cost.tag_cycles;
      }
    }
    if (accesses > 0) data_stage += std::max<std::int64_t>(wavefronts, 1);
    warp.issue(instruction, only_shared ? std::max<std::int64_t>(shared_wavefronts, 1) : shared_wavefronts);
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
