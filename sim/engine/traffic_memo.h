// Traffic that was counted before, for launches that look the same to the caches.
//
// What the caches do follows from what reaches them: of every warp, segment by segment, the global addresses and how
// long the segment keeps its SM busy (CountingSm). Launches that agree in that and in the GPU have the same traffic,
// bit for bit, whatever else differs: a padding that does not change the number of conflicts, say. Finding out costs a
// walk over the kernel's addresses, a small part of counting.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/memory_counters.h"
#include "models/occupancy.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

using TrafficKey = std::array<std::uint64_t, 2>;

// A launch as its caches see it, and what it counts whatever they do.
struct LaunchSurvey {
  TrafficKey key{};
  SmCounters segments;
};

// nullopt for kernels whose segments have no keys: looking at each would take as long as counting. `check` is called
// now and then and may throw to stop.
std::optional<LaunchSurvey> survey_launch(const GpuSpec& gpu, const Kernel& kernel, const Occupancy& occupancy,
                                          unsigned thin_shift, const std::function<void()>& check);

// Safe to use from several threads.
class TrafficMemo {
 public:
  struct Traffic {
    SmCounters caches;  // what the SMs counted beyond LaunchSurvey::segments
    MemoryCounters memory;
    double sampled_fraction = 1, traffic_error_pct = 0;
    Cycle coarse_cycles = 0;
  };
  std::optional<Traffic> find(const TrafficKey& key) const;
  void add(const TrafficKey& key, const Traffic& traffic);

 private:
  mutable std::mutex mutex_;
  std::map<TrafficKey, Traffic> known_;
};

}  // namespace tilescope
