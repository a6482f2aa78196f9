// What the CTAs of a grid pass to each other through global memory.
//
// The engine executes CTAs in any order, several at a time, each as if it were alone. Where CTAs may pass values that
// matter to each other (Program::ctas_exchange), all of them are executed once beforehand, in order of their number,
// each seeing what those before it have written. Kept is what a CTA has read that they had changed: with these sectors
// over the buffers of the launch, the CTA alone reads the same values and executes the same instructions.
//
// A CTA runs to its end in one turn, unless its warps come again to the same word at the same instruction: they draw a
// second number from a counter, or wait for somebody. Then the next CTA begins, and when all that fit onto a GPU have
// begun, they take turns. So CTAs that share out tiles get as many each, and a barrier of the whole grid fills. What is
// kept is kept for each turn.
//
// Where CTAs wait for words of others (polled_loads.h), a warp looks at one such word in a turn and at none in the
// first, and the last CTA has its turn first: so CTAs that run at the same time look at what others have stored before
// they looked themselves, as they do on hardware, where a look takes about as long as a store until others see it
// (gpu/microbench/cta_chain.cu). Of 19 CTAs of a sort that look back through those before them, each finds a sum that
// is complete after 4.1 looks; counted are 4.2 to 4.6.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/sass/cta_executor.h"
#include "traces/sass/grid_memory.h"

namespace tilescope::sass {

class PassedValues {
 public:
  // Executes the grid. Beyond a limit, or where a CTA does not end, nothing is kept and missing() says why.
  void find(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
            Resident& resident);

  // CTAs take turns as they did when the grid was executed.
  bool takes_turns() const { return found_; }
  // What lies over the memory of this cluster (its CTA, where there are none) when its turn begins, from 1.
  std::span<const MemorySector> of(std::int64_t cluster, std::uint32_t turn) const;
  // Why CTAs do not see each other's values, one sentence; empty: they do.
  const std::string& missing() const { return missing_; }

 private:
  struct Range {
    std::size_t first = 0, count = 0;  // of sectors_
  };

  void execute(const Program& program, PatternTable& patterns, DeviceMemory& memory, std::size_t shared_bytes,
               Resident& resident);
  void keep(std::int64_t cluster, std::uint32_t turn, Range range);
  void give_up(const std::string& why);

  std::vector<MemorySector> sectors_;
  std::unordered_map<std::int64_t, std::vector<Range>>
      turns_of_;  // by cluster; those after the last that reads anything end
  bool found_ = false;
  std::string missing_;
};

}  // namespace tilescope::sass
