// How long each class of instruction keeps its pipe and the dispatch port busy, and when a result of variable latency
// is there. Which pipe it takes is in models/isa/operation.h. Fixed latencies are the compiler's business: it wrote
// them into the stall counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/gpu_spec.h"
#include "models/isa/instruction.h"
#include "models/support/units.h"
#include "models/tensor_cores.h"

namespace tilescope {

// The pipe for multiply-adds has two halves of 16 lanes. The heavy one takes integers, too; FP32 goes to the light one
// as long as that is free; packed halves go through both.
enum class FmaHalf : std::uint8_t { none, either, heavy, both };

struct PipeUse {
  Pipe pipe = Pipe::none;
  std::uint16_t interval = 1;   // cycles until the pipe takes the next instruction of the sub-partition
  std::uint16_t dispatch = 1;   // cycles until the sub-partition issues anything else
  std::uint16_t latency = 0;    // issue to result, for scoreboards; loads and stores have theirs from the memory models
  bool holds_up = false;        // a warp may wait for it: a pipe that takes an instruction every cycle holds none up
  bool goes_on = true;          // the next instruction follows: no branch, exit, barrier or fence
  bool arithmetic = false;      // writes a register some cycles after its issue
  bool passes_barrier = false;  // does not wait at its warp's barrier
  bool waits = false;           // for more than its wait mask names: exit, groups of copies or products
  FmaHalf half = FmaHalf::none;   // of the pipe for multiply-adds, where that has two
  std::uint16_t half_cycles = 0;  // ... and for how long
};

class PipeTable {
 public:
  explicit PipeTable(const GpuSpec& gpu);
  const PipeUse& operator[](OpClass op) const { return use_[static_cast<std::size_t>(op)]; }
  // Tensor instructions differ in size.
  Cycle tensor_interval(const Instruction& instruction) const { return tensor_cores_.interval(instruction); }
  // How long a product of one warp reads registers of both banks.
  Cycle tensor_operands(const Instruction& product) const { return tensor_cores_.operands(product); }

 private:
  std::array<PipeUse, kOpClasses> use_;
  TensorCores tensor_cores_;
};

}  // namespace tilescope
