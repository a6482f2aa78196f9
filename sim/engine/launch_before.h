// What a launch finds when the same launch has gone before it and nothing has been flushed (CacheControl::none): L2 as
// that one left it, the kernel's code in the caches that the SMs of a GPC share, its constants in L2.
//
// The launch before is counted, not timed: from an empty L2, one line in as many as in the engine that goes on with it.
//
// Source: an empty launch of 132 CTAs keeps an H100's SMs active for 338 to 344 cycles where caches are flushed and for
// 195 where not, and reads nothing from HBM (gpu/measured/h100/warm/empty_counted.csv): what its first line of code
// waits for beyond a fetch from the GPC's cache (instruction_cache.first_cycles) is not there.
#pragma once

#include <map>
#include <memory>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/engine/window_engine.h"
#include "sim/simulate.h"

namespace tilescope {

// `gpu` as a launch finds it whose code and constants L2 holds.
GpuSpec with_code_in_l2(const GpuSpec& gpu);

class LaunchBefore {
 public:
  // Both outlive it. `gpu`: as the counting engine sees it. Of the options `cache_control`, `threads` and `on_progress`
  // matter.
  LaunchBefore(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options);

  // Whether there is one.
  bool any() const { return options_.cache_control == CacheControl::none; }
  // The engine's L2 begins as it was left, unless caches are flushed. `thin_shift`: CountingSm::Grain.
  template <class Engine>
  void leave_to(Engine& engine, unsigned thin_shift = 0) {
    if (any()) engine.begin_as_left_by(memory(thin_shift));
  }

 private:
  const MemorySystem& memory(unsigned thin_shift);

  const GpuSpec& gpu_;
  const Kernel& kernel_;
  const RunOptions& options_;
  std::map<unsigned, std::unique_ptr<CountingEngine>> counted_;  // by thin_shift, at their ends
};

}  // namespace tilescope
