#include "traces/sass/passed_values.h"

#include <stdexcept>

#include "models/support/diagnostic.h"
#include "traces/sass/limits.h"

namespace tilescope::sass {

void PassedValues::find(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
                        Resident& resident) {
  try {
    execute(program, patterns, memory, shared_bytes, resident);
  } catch (const DiagnosticsError& error) {
    give_up(error.diagnostics().front().message);
  } catch (const std::length_error& error) {  // of the pattern table
    give_up(error.what());
  }
}

void PassedValues::execute(const Program& program, PatternTable& patterns, DeviceMemory& memory,
                           std::size_t shared_bytes, Resident& resident) {
  const Limits& limits = program.launch.limits;
  GridMemory grid;
  CtaExecutor executor(program, patterns, memory, shared_bytes, false, resident, &grid);
  std::uint64_t executed = 0;
  for (std::int64_t cta = 0; cta < program.launch.grid.count(); ++cta) {
    first_.push_back(sectors_.size());
    executor.start(cta);
    if (!executor.run_to_end({}, limits.grid_instructions - executed))
      return give_up("the CTAs execute too much one after the other; " +
                     limit_met("grid_instructions", limits.grid_instructions));
    executed += executor.executed();
    grid.leave(memory, executor.written(), sectors_);
    if (grid.bytes() + sectors_.size() * sizeof(MemorySector) > limits.passed_bytes)
      return give_up("the CTAs write over too much memory; " + limit_met("passed_bytes", limits.passed_bytes));
  }
  first_.push_back(sectors_.size());
  sectors_.shrink_to_fit();
  if (sectors_.empty()) first_ = {};
}

void PassedValues::give_up(const std::string& why) {
  sectors_ = {};
  first_ = {};
  missing_ = "CTAs do not see what others write to global memory: " + why;
}

}  // namespace tilescope::sass
