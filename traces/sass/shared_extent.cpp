#include "traces/sass/shared_extent.h"

#include <algorithm>

#include "traces/sass/cta_executor.h"

namespace tilescope::sass {
namespace {

std::int64_t end_of(const MemoryOperand& operand, const PatternTable& patterns) {
  const LanePattern& pattern = patterns.pattern(operand.pattern);
  if (pattern.active == 0) return 0;
  std::int64_t furthest = 0;
  for (const std::int64_t offset : pattern.offset) furthest = std::max(furthest, offset);
  return static_cast<std::int64_t>(operand.base) + furthest + pattern.bytes;
}

}  // namespace

std::int64_t shared_extent(const Program& program, const DeviceMemory& memory, std::size_t shared_bytes) {
  const bool uses_shared =
      std::any_of(program.instructions.begin(), program.instructions.end(), [](const Instruction& one) {
        return std::any_of(traits(one.op).accesses.begin(), traits(one.op).accesses.end(), is_shared);
      });
  if (!uses_shared) return 0;
  DeviceMemory own = memory;
  PatternTable patterns;
  CtaExecutor executor(program, patterns, own, shared_bytes, false);
  executor.start(0);
  std::int64_t extent = 0;
  const auto warps = static_cast<int>((program.launch.block.count() + kLanes - 1) / kLanes);
  for (int warp = 0; warp < warps; ++warp) {
    CtaExecutor::Recorded recorded;
    for (std::size_t i = 0; executor.run_of(warp, i, recorded); ++i) {
      const WarpRun& run = recorded.run;
      std::size_t next = 0;
      for (std::uint32_t at = run.first; at < run.first + run.length; ++at) {
        const OpClass op = program.instructions[at].op;
        for (int n = 0; n < memory_operands(op); ++n, ++next)
          if (is_shared(access_of(op, n))) extent = std::max(extent, end_of(recorded.operands[next], patterns));
      }
    }
  }
  return extent;
}

}  // namespace tilescope::sass
