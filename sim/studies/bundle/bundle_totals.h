// What the launches of a bundle come to: per kernel, and for the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/studies/bundle/bundle_run.h"

namespace tilescope {

struct KernelTotal {
  std::string kernel;          // its name without namespaces and arguments
  std::size_t launches = 0;    // different ones
  std::uint64_t calls = 0;     // of the program
  std::vector<double> amount;  // by GPU, of all calls: ns; warp instructions in counts mode
};

struct ProblemTotal {
  LaunchRun::End end = LaunchRun::End::refused;
  std::string kind;
  std::size_t launches = 0;
  std::uint64_t calls = 0;
  std::vector<std::uint64_t> ids;  // of the launches
};

struct BundleTotals {
  KernelTotal program;                 // everything that every GPU simulated
  std::vector<KernelTotal> kernels;    // the longest on the first GPU first
  std::vector<ProblemTotal> problems;  // the most frequent first
};

// A launch that one of the GPUs does not simulate is in no kernel's totals: they compare the same work.
BundleTotals totals_of(const BundleRun& run);

// What a launch is measured by on a GPU: its time in ns; its warp instructions in counts mode. REQUIRES: done.
double amount_of(const LaunchRun& run);

}  // namespace tilescope
