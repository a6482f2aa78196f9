// The bytes that a kernel's lanes ask for, the bytes that move for it at each level of memory, and the fewest that any
// kernel could move that reads and writes the same data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/results/launch_bytes.h"
#include "sim/results/result.h"

namespace tilescope {

struct TrafficLevel {
  std::string name;   // "lanes_global", "lanes_shared", "shared", "l1", "l2", "hbm": stable, for scripts
  std::string label;  // "HBM"
  double read = 0;    // byte; shared memory: loads
  double written = 0;
  double bytes() const { return read + written; }
};

struct Traffic {
  std::vector<TrafficLevel> levels;  // all of them, in the order of the names above
  // Distinct sectors of global memory that are read, and that are written, in byte: what HBM must move of a launch that
  // begins with cold caches; what is written may still be in L2 when it ends. nullopt: too many CTAs to find out.
  std::optional<double> least_read, least_written;
  bool every_cta = true;  // what lanes ask is of all CTAs; else scaled up from a part of them
};

Traffic traffic(const Result& result, const LaunchBytes& bytes);

}  // namespace tilescope
