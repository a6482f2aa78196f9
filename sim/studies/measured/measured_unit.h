// Units as profilers write them, and what they are in base units.
//
//   Kbyte, MB -> byte    ns, usecond, ms, s -> ns    Ghz -> hz    Gbyte/s -> byte/second    % -> %    cycle/nsecond ->
//   cycle/second
//
// Prefixes are powers of 1000 (K, M, G, T), as Nsight Compute's are. A time is in ns, a rate per second.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

struct MeasuredUnit {
  std::string base;   // "" for a number without one
  double factor = 1;  // value in base units = value * factor
};

// nullopt: no such unit.
std::optional<MeasuredUnit> measured_unit(std::string_view text);

}  // namespace tilescope
