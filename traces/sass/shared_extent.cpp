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

bool touches_shared(OpClass op) {
  return std::any_of(traits(op).accesses.begin(), traits(op).accesses.end(), is_shared);
}

}  // namespace

std::int64_t shared_extent(const Program& program, DeviceMemory& memory, std::size_t shared_bytes) {
  if (std::none_of(program.instructions.begin(), program.instructions.end(),
                   [](const Instruction& one) { return touches_shared(one.op); }))
    return 0;
  PatternTable patterns;
  Resident resident;
  CtaExecutor executor(program, patterns, memory, shared_bytes, false, resident);
  executor.start(0);
  std::int64_t extent = 0;
  executor.run_to_end([&](const WarpRun& run, const std::vector<MemoryOperand>& operands) {
    std::size_t next = 0;
    for (std::uint32_t at = run.first; at < run.first + run.length; ++at) {
      const OpClass op = program.instructions[at].op;
      for (int n = 0; n < memory_operands(op); ++n, ++next)
        if (is_shared(access_of(op, n))) extent = std::max(extent, end_of(operands[next], patterns));
    }
  });
  return extent;
}

}  // namespace tilescope::sass
