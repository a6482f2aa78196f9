// Time. An SM counts whole cycles of its own clock; the chip behind it, whose L2 and HBM run on other clocks, counts
// ticks of a 1024th of an SM cycle, so that every rate is an integer and results are the same on any machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tilescope {

using Cycle = std::int64_t;  // SM clock
using Tick = std::int64_t;   // 1/1024 of an SM cycle

inline constexpr Tick kTicksPerCycle = 1024;
inline constexpr Cycle kNever = std::numeric_limits<std::int64_t>::max() / 4;

constexpr Tick to_ticks(Cycle cycles) { return cycles * kTicksPerCycle; }
inline Tick to_ticks(double cycles) {
  return static_cast<Tick>(std::llround(cycles * static_cast<double>(kTicksPerCycle)));
}
constexpr Cycle to_cycles_up(Tick ticks) { return (ticks + kTicksPerCycle - 1) / kTicksPerCycle; }

}  // namespace tilescope
