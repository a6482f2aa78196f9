// Finds what costs a launch its time in its counters, and says why from a survey of its accesses. Tries nothing.
#pragma once

#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/results/launch_bytes.h"
#include "sim/results/result.h"
#include "sim/simulate.h"
#include "sim/studies/explain/explanation.h"

namespace tilescope::explain {

struct Found {
  Finding finding;
  std::vector<std::size_t> instructions;  // in Kernel::code(): of the finding's place
  int array = -1;                         // bank conflicts: in Survey::arrays
};

// What is known of a launch before anything is tried.
struct Launched {
  const GpuSpec& gpu;
  const Kernel& kernel;
  const RunOutcome& outcome;  // of a timing run, by instruction
  const Result& result;       // of that run
  const Survey& survey;
  const LaunchBytes& bytes;
};

// The largest estimate first.
std::vector<Found> problems(const Launched& launched);

}  // namespace tilescope::explain
