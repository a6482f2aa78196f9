#include "sim/engine/launch_before.h"

#include <algorithm>
#include <cmath>

namespace tilescope {

GpuSpec with_code_in_l2(const GpuSpec& gpu) {
  GpuSpec warm = gpu;
  warm.instruction_cache.first_cycles = 0;
  warm.instruction_cache.launch_line_cycles = 0;
  const auto trip = std::llround(gpu.hbm.latency_ns * gpu.clock.sm_mhz / 1000);
  for (std::int64_t* cycles : {&warm.instruction_cache.memory_cycles, &warm.constant_cache.memory_cycles})
    *cycles = std::max<std::int64_t>(0, *cycles - trip);
  return warm;
}

LaunchBefore::LaunchBefore(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options)
    : gpu_(gpu), kernel_(kernel), options_(options) {}

const MemorySystem& LaunchBefore::memory(unsigned thin_shift) {
  std::unique_ptr<CountingEngine>& engine = counted_[thin_shift];
  if (!engine) {
    engine =
        std::make_unique<CountingEngine>(gpu_, kernel_, options_.threads, CountingSm::Grain{.thin_shift = thin_shift});
    engine->on_progress = [this](const CountingEngine&) {
      if (options_.on_progress) options_.on_progress({0});
    };
    engine->run();
  }
  return engine->memory();
}

}  // namespace tilescope
