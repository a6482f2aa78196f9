// The code of a kernel that goes along K step by step (tile by tile, or k by k), as sections of a compiled function,
// the route that a warp takes through them, and what each of their memory operands means.
//
// A compiled function is cut where a warp's walk through it is: wherever a run begins or ends. Code that finds another
// of several tiles in shared memory each time is a section for each of them, at the same place. Operands get their
// names by their addresses: what the sample's own addresses say for the warp that was walked has to be what was seen,
// lane by lane. So the names hold the generator's addresses against the executed machine code whenever a kernel is
// made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/isa/instruction.h"
#include "traces/kernels/access.h"
#include "traces/kernels/compiled_sample.h"

namespace tilescope {

struct NamedAccess {
  OpClass op = OpClass::nop;
  Access access;
};

// What a warp does along K, said by a kernel for one of its shapes. Access::step is the step of K from the section's
// first one on, for operands that move along K; for others 0. Access::part tells operands of one role and step apart,
// Access::turn those of tiles that take turns.
struct StepAddresses {
  std::vector<NamedAccess> accesses;  // of one step and of all that is outside of steps, each once
  std::function<LaneAddresses(const Access&, int warp)> lanes;  // Access::step is 0
  std::array<std::uint64_t, kBuffers> base{};                   // of the buffers, for the CTA that was walked
  std::array<std::int64_t, kBuffers> advance{};                 // byte from one step to the next; 0: stays
  std::int64_t steps = 1;                                       // of K in all
  std::int64_t products = 0;                                    // FFMAs or HMMAs of a step
  // `count` accesses of a role, whose parts are 0 to count - 1, to each of `turns` tiles.
  void add(OpClass op, int role, int count, int turns = 1);
  int count(int role) const;   // of `accesses` to one tile
  bool moves(int role) const;  // along K
};

struct LoopSection {
  std::size_t first = 0;  // place in the function, of several sections where tiles take turns
  std::vector<Instruction> code;
  std::vector<Access> accesses;  // one for each memory operand, in order
  std::int64_t steps = 0;        // of K that one run goes on
};

// `repeats` runs of one section, the first of which begins at step `first_step`. `joined`: the last of them goes on
// into the next section without a branch, in one run of the compiled code.
struct RouteRun {
  int section = 0;
  std::int64_t repeats = 1, first_step = 0;
  bool joined = false;
  bool operator==(const RouteRun& other) const {
    return section == other.section && repeats == other.repeats && first_step == other.first_step;
  }
};

struct LoopCode {
  std::vector<LoopSection> sections;
  std::vector<RouteRun> route;  // of a warp with work
  std::vector<RouteRun> idle;   // of one without; empty when nobody asked
  std::int64_t registers_per_thread = 0;
};

// The role of an operand that is off on every lane of all busy warps.
inline constexpr int kNobody = -1;

// One warp's walk through a sample.
struct WarpWalk {
  int warp = 0;
  std::vector<WalkedRun> runs;
};

// Throws std::logic_error when an address is none of `addresses`, or two busy warps take different routes. `busy`: one
// warp for each share of the work that guards tell apart. `idle`: of a warp without work.
LoopCode loop_code(const CompiledSample& sample, const std::vector<WarpWalk>& busy, const WarpWalk& idle,
                   const StepAddresses& addresses);

}  // namespace tilescope
