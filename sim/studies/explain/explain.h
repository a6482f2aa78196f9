// Runs a launch, finds what costs it time, and runs it again with every change that may help: `tilescope explain`.
#pragma once

#include <functional>
#include <string>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/simulate.h"
#include "sim/studies/explain/explanation.h"

namespace tilescope::explain {

struct ExplainOptions {
  Sample sample = Sample::fast;
  int threads = 1;
  std::size_t top = 5;     // findings that are worked out; the others are counted
  bool generator = false;  // the kernel is a built-in one, whose parameters may be changed
  // What is run now, and how far that is. May throw to stop.
  std::function<void(const std::string& what, double fraction)> on_progress;
};

// Throws what simulate() throws of the launch as it is.
Explanation explain(const GpuSpec& gpu, const Kernel& kernel, const std::string& word, const ExplainOptions& options);

}  // namespace tilescope::explain
