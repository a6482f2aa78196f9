// Which instructions can influence an address, a predicate that matters or a branch: the others only count and take
// time, their values are never computed.
//
// A register is *needed* at a point if some path from there reaches an address, a guard of a memory or control
// instruction, or a branch condition that depends on it. Worked out backwards over the control-flow graph until nothing
// changes. If a needed value is loaded from a memory space, the values stored into that space are needed as well.
#pragma once

#include <vector>

#include "traces/sass/decoded.h"

namespace tilescope::sass {

struct Slice {
  std::vector<bool> executed;                          // by instruction
  bool global = false, shared = false, local = false;  // whose contents matter
  bool global_changes = false;                         // stores of the launch can reach needed global loads
  bool barrier_results = false;
};

// `successors` by instruction. With `all`, everything is needed.
Slice slice_of(const std::vector<Decoded>& code, const std::vector<std::vector<std::uint32_t>>& successors, bool all);

}  // namespace tilescope::sass
