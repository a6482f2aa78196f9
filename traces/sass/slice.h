// Which instructions can influence an address, a predicate that matters or a branch: the others only count and take
// time, their values are never computed.
//
// A register is *needed* at a point if some path from there reaches an address, a guard of a memory or control
// instruction, or a branch condition that depends on it. Worked out backwards over the control-flow graph until nothing
// changes. If a needed value is loaded from a memory space, the values stored into that space are needed as well.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/sass/decoded.h"

namespace tilescope::sass {

// Where control can go from each instruction.
struct Successors {
  std::vector<std::vector<std::uint32_t>> of;  // by instruction
  std::vector<bool> jumps;                     // by instruction: also to any of `jump_targets`
  std::vector<std::uint32_t> jump_targets;     // where a jump to the address in a register can go
};

struct Slice {
  std::vector<bool> executed;                          // by instruction
  bool global = false, shared = false, local = false;  // whose contents matter
  bool global_changes = false;                         // stores of the launch can reach needed global loads
  bool barrier_results = false;
  bool waits = false;                // at mbarriers
  std::vector<bool> stores_unknown;  // by instruction: stores what may come from values that are not computed
  // Before each instruction, by register: not 0 when it is needed.
  std::vector<std::array<std::uint8_t, kRegisterIds>> needed;
  bool ctas_exchange = false;  // values that matter may pass between CTAs: something that receives() is executed
};

// May this bring a value from another CTA? An atomic with a result, or a load of GPU or system scope, on global memory.
// Without one of these, what a CTA reads of another's writes is a race.
bool receives(const Decoded& decoded);

// With `all`, everything is needed.
Slice slice_of(const std::vector<Decoded>& code, const Successors& successors, bool all);

}  // namespace tilescope::sass
