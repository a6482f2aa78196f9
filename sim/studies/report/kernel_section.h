// A launch in a report: its result, where it stands under the roofs, what it moves, which lines wait, what its accesses
// look like lane by lane, and what the SMs and the memory did over time.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/simulate.h"

namespace tilescope::report {

struct KernelOptions {
  Sample sample = Sample::automatic;
  int threads = 1;
  std::size_t lines = 40;      // the hottest; the others are counted
  std::size_t accesses = 8;    // those that cost most beyond what they need; the others are counted
  std::size_t cells = 12'000;  // of the picture of SMs over time, at most
  std::function<void(const Progress&)> on_progress;  // may throw to stop
};

// "kind": "kernel". `word`: the kernel as the user wrote it. Runs it; throws what simulate() throws.
nlohmann::ordered_json kernel_section(const GpuSpec& gpu, const Kernel& kernel, const std::string& word,
                                      const KernelOptions& options);

}  // namespace tilescope::report
