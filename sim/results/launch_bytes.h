// The bytes that the lanes of a launch ask for, and the distinct ones among them: what a machine with perfect caches
// would move. Found by walking through the instruction streams; no GPU is involved.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/isa/kernel.h"

namespace tilescope {

struct LaunchBytes {
  // Active lanes times their width, byte: equal addresses of several lanes count each. Bulk copies count what they
  // move.
  double global_read = 0, global_written = 0;  // local memory included; atomics count as both
  double shared_read = 0, shared_written = 0;
  // Distinct sectors of 32 bytes of global memory that are read, and that are written, in byte. nullopt: not all CTAs
  // were walked through.
  std::optional<double> least_read, least_written;
  // The same of reads in the 64 bytes, aligned, that HBM gives at once.
  std::optional<double> least_read_in_pairs;
  std::int64_t ctas_walked = 0;  // evenly spread over the grid where they are not all
};

// `most_accesses`: how much work is affordable, in accesses of warps, a run of equal ones counted once.
LaunchBytes launch_bytes(const Kernel& kernel, std::uint64_t most_accesses = 40'000'000);

}  // namespace tilescope
