// What the CTAs of a grid pass to CTAs behind them through global memory.
//
// The engine executes CTAs in any order, several at a time, each as if it were alone. Where CTAs may pass values that
// matter to each other (Program::ctas_exchange), all of them are executed once beforehand, in order of their number,
// each to its end and each seeing what those before it have written. Kept is what a CTA has read that they had changed:
// with these sectors over the buffers of the launch, the CTA alone reads the same values and executes the same
// instructions. Waiting for a CTA behind is never imitated: no CTA comes later than one that waits for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/sass/cta_executor.h"
#include "traces/sass/grid_memory.h"

namespace tilescope::sass {

class PassedValues {
 public:
  // Executes the grid. Beyond a limit, or where a CTA does not end, nothing is kept and missing() says why.
  void find(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
            Resident& resident);

  // What lies over the buffers of the launch for this CTA.
  std::span<const MemorySector> of(std::int64_t cta) const {
    const auto at = static_cast<std::size_t>(cta);
    if (at + 1 >= first_.size()) return {};
    return std::span(sectors_).subspan(first_[at], first_[at + 1] - first_[at]);
  }
  // Why CTAs do not see each other's values, one sentence; empty: they do.
  const std::string& missing() const { return missing_; }

 private:
  void execute(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
               Resident& resident);
  void give_up(const std::string& why);

  std::vector<MemorySector> sectors_;  // CTA after CTA
  std::vector<std::size_t> first_;     // of each CTA, and the end
  std::string missing_;
};

}  // namespace tilescope::sass
